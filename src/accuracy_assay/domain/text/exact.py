"""Features of a text by rules that anyone can check: question, negation, numerals, quotes, code.

What a question asks for is read off its first question word.

Marks and digits count in every script. Words are English only: other languages have neither
negation nor number words by these rules. Each rule is a pattern without look-around, so its time
is linear in the length of the text.
"""

from __future__ import annotations

import polars as pl

__all__ = [
    "NO_QUESTION_WORD",
    "NUMERALS",
    "has_code",
    "has_negation",
    "has_quoted_speech",
    "is_question",
    "numerals",
    "question_word",
]

NO_QUESTION_WORD = "none"

NUMERALS = ("none", "words", "digits")
"""Values of `numerals`."""

_FOLLOWED_MARK = r"[?\x{37e}](?:[\s\p{P}]|$)"
"""A question mark at the end of something; not one inside an address, ``page?id=1``."""
_OWN_MARK = r"[？؟⸮፧⁇⁈⁉︖﹖‽՞]"
_AUXILIARY = r"(?:is|are|was|were|am|did|does|can|could|will|would|shall|should|has|had|must)"
_WITH_NOT = r"(?:n't)?"
_PRONOUN = r"(?:i|you|he|she|it|we|they|there)"
_SUBJECT = r"(?:i|you|he|she|it|we|they|there|this|that|these|those|the|an?|my|your|his|her|our"
_SUBJECT += r"|their|any(?:one|body|thing)|some(?:one|body|thing))"
_ASKED = r"(?:who|what|when|where|why|how|which|whose|whom)"
_UNMARKED_QUESTION = (
    rf"^(?:{_AUXILIARY}{_WITH_NOT} {_SUBJECT}"
    rf"|(?:do|have|may|might){_WITH_NOT} {_PRONOUN}"
    rf"|{_ASKED}(?:'s|'re| (?:{_AUXILIARY}|do|have){_WITH_NOT}| come)"
    rf"|(?:what|which|whose|how) [a-z]+ (?:[a-z]+ )?(?:{_AUXILIARY}|do|have){_WITH_NOT} {_SUBJECT}"
    r")\b"
)
_ENDED = r"[.!:;…][\s\p{P}]*$"

_LAST_QUESTION = r"([^.?!;:\n]*)\?[^?]*$"
"""The words before the last question mark, from the mark or the line before it."""
_QUESTION_WORD = r"\b(how (?:many|much|long|old|often|far)|what|which|who|when|where|why|how)"
_QUESTION_WORD += r"(?:se|m|'s)?\b"

_NO_NEGATION = r"\b(?:nos?\. *\d|not only\b)"
"""What only looks like a negation: "No. 5", and "not only ... but"."""
_CONTRACTED = (
    r"(?:ai|are|ca|could|did|does|do|had|has|have|is|might|must|need|sha|should|was|were|wo|would)"
)
_NEGATION = (
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|nowhere|cannot|without"
    rf"|{_CONTRACTED}n['’]?t)\b"
)

_NUMBER_WORD = (
    r"\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|(?:hundred|thousand|million|billion|trillion|dozen)s?)\b"
)

_QUOTED = (
    r"“[^“”]*\p{L}[^“”]*”|„[^„“”]*\p{L}[^„“”]*[“”]|«[^«»]*\p{L}[^«»]*»|‹[^‹›]*\p{L}[^‹›]*›"
    r"|「[^「」]*\p{L}[^「」]*」|『[^『』]*\p{L}[^『』]*』"
    r"|(?:^|[\s—–-])\"[^\s\"][^\"]*\p{L}[^\"]*\"|(?:^|[\s—–-])\"\p{L}[^\"]*\""
    r"|(?:^|[\s—–\"])['‘]\p{L}[^‘\n]*[,.!?…]['’](?:[\s\p{P}]|$)"
)
"""A straight quote opens only after a space, and single quotes close after a punctuation mark, so
inches and apostrophes are not quotes."""

_NAME = "[A-Za-z0-9_]+"
_EDGE = r"(?-u:\b)"
_CODE = (
    r"```|`[^`\s](?:[^`\n]*[^`\s])?`"
    rf"|(?m:^ *(?:def {_NAME}\(|class {_NAME} *[:({{]|import [A-Za-z0-9_.]+ *;?$"
    rf"|from [A-Za-z0-9_.]+ import |#include *[<\"]|(?:var|let|const) {_NAME} *="
    rf"|(?:public|private|static) {_NAME} |(?:for|while|if|switch) *\(.*\) *\{{"
    rf"|SELECT .+ FROM |\$ {_NAME}))"
    rf"|{_EDGE}{_NAME}\([^()\n]*\) *(?:;|\{{)|[A-Za-z_]{_NAME}\.[a-z_]+[A-Za-z0-9_]*\([^\n]*\)"
    rf"|{_EDGE}[a-z]+_{_NAME}\("
    r"|</[A-Za-z][A-Za-z0-9_-]*>|<[A-Za-z][A-Za-z0-9_-]*(?: [^<>\n]*)?/>"
    r"|[A-Za-z0-9_\])] *(?:==|!=|&&|\+=|-=|::) *[A-Za-z0-9_(\"']"
    rf"|{_EDGE}{_NAME}\+\+[;)]"
    rf"|{_EDGE}(?:int|float|double|char|bool|auto|string) {_NAME} *="
)
"""Fences, and what is rare outside programs: calls that end in a semicolon, closing tags,
comparisons. Arrows, single equals signs and vertical bars also occur in mathematics and tables.
Names are ASCII, which makes the search thirty times as fast."""


def is_question(texts: pl.Series) -> pl.Series:
    """Return which texts ask something (n,).

    A question has a question mark of any script at the end of something; or, if the text ends
    without punctuation, as transcripts do, an English beginning such as "is it" or "what did".

    Examples
    --------
    >>> is_question(pl.Series(["Who is it?", "where are you", "What a day!"])).to_list()
    [True, True, False]
    """
    plain = _plain(texts)
    has_mark = texts.str.contains(_FOLLOWED_MARK) | texts.str.contains(_OWN_MARK)
    is_open = ~plain.str.contains(_ENDED)
    return has_mark | (is_open & plain.str.contains(_UNMARKED_QUESTION))


def question_word(texts: pl.Series) -> pl.Series:
    """Return the word by which each text asks (n,): what, which, how many and so on, or ``none``.

    It is the first English question word of the last question; without a question mark, of the
    text's beginning.

    Examples
    --------
    >>> asked = pl.Series(["He left. How many are left?", "Name a colour.", "Is it late?"])
    >>> question_word(asked).to_list()
    ['how many', 'none', 'none']
    """
    plain = _lower_lines(texts)
    asked = pl.col("text").str.extract(_LAST_QUESTION)
    start = pl.col("text").str.extract(rf"^\W*(?:{_QUESTION_WORD})")
    word = pl.coalesce(asked.str.extract(_QUESTION_WORD), pl.when(asked.is_null()).then(start))
    found = pl.when(pl.col("text").is_not_null()).then(word.fill_null(NO_QUESTION_WORD))
    return plain.to_frame("text").select(found.alias(texts.name)).to_series()


def has_negation(texts: pl.Series) -> pl.Series:
    """Return which texts have an English negation (n,): not, no, never, n't and the like.

    Examples
    --------
    >>> has_negation(pl.Series(["I don't know", "Note No. 5", "not only he"])).to_list()
    [True, False, False]
    """
    return _plain(texts).str.replace_all(_NO_NEGATION, " ").str.contains(_NEGATION)


def numerals(texts: pl.Series) -> pl.Series:
    """Return the numerals of each text (n,): digits of any script, English words, or none.

    "one" is mostly not a number and does not count, nor do first, second and third.

    Examples
    --------
    >>> numerals(pl.Series(["twenty-one men", "४२", "that one"])).to_list()
    ['words', 'digits', 'none']
    """
    none, words, digits = NUMERALS
    text = pl.col("text")
    has_words = text.str.to_lowercase().str.contains(_NUMBER_WORD)
    found = (
        pl.when(text.is_null())
        .then(None)
        .when(text.str.contains(r"\p{N}"))
        .then(pl.lit(digits))
        .when(has_words)
        .then(pl.lit(words))
        .otherwise(pl.lit(none))
    )
    return texts.to_frame("text").select(found.alias(texts.name)).to_series()


def has_quoted_speech(texts: pl.Series) -> pl.Series:
    """Return which texts have words in quotation marks (n,), in the marks of any language.

    Examples
    --------
    >>> has_quoted_speech(pl.Series(["“Go!” he said", "rock 'n' roll", '5" x 7"'])).to_list()
    [True, False, False]
    """
    return texts.str.contains(_QUOTED)


def has_code(texts: pl.Series) -> pl.Series:
    """Return which texts hold program code (n,).

    Examples
    --------
    >>> has_code(pl.Series(["call print(x);", "f(x) = x^2", "C++ is a language"])).to_list()
    [True, False, False]
    """
    return texts.str.contains(_CODE)


def _lower_lines(texts: pl.Series) -> pl.Series:
    """Return texts in lower case with single spaces in each line and straight apostrophes."""
    small = texts.str.to_lowercase().str.replace_all("[’‘]", "'")
    return small.str.replace_all(r"[ \t]+", " ")


def _plain(texts: pl.Series) -> pl.Series:
    """Return texts in lower case with single spaces and straight apostrophes."""
    small = texts.str.to_lowercase().str.replace_all("[’‘]", "'")
    return small.str.replace_all(r"\s+", " ").str.strip_chars()
