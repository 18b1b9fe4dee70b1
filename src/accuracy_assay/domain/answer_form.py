"""The form of short answers: what kind of answer a service gave, seen without a label.

Free answers of a few words are too many to be classes, but their forms are few. Whether a service
declines to answer, says yes or no, or gives a number is known for every row, and often says how
much the answer is worth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import require_columns

__all__ = ["ANSWER_FORM", "DECLINES", "answer_form", "with_answer_form"]

ANSWER_FORM = "form of the answer"
"""Name of the signal."""
DECLINES = "declines to answer"
"""Class of the answers that refuse to answer."""

_MOST_WORDS = 12
"""Most words of a short answer, chosen by hand: a phrase or one sentence."""
_SHORT_SHARE = 0.9
"""Share of the pool's answers that must be short, chosen by hand; else answers have no forms."""
_COMMON_SHARE = 0.02
"""Share of the pool from which an answer is its own form, as a number is its own stratum
(`accuracy_assay.domain.strata`)."""

_UNABLE = r"(?:can(?:not|'t| not)|could(?: not|n't)|unable to|impossible to|not possible to)"
_TELL = r"(?:be )?(?:answer|determin|tell|say|know|infer|decid|identif|conclude|judge|help|assist)"
_ENDS = r"(?=$|[,;:(]| (?:from|in|by|to|for|who|if|whether|which|what|based|given)\b)"
_DECLINED = re.compile(
    rf"{_UNABLE} (?:\w+ )?{_TELL}"
    r"|(?:un|not )(?:known|answerable|determined|determinable|decidable|clear|certain|specified"
    rf"|stated|mentioned|given|sure){_ENDS}"
    r"|undeterminable|indeterminate"
    r"|(?:not enough|insufficient|too little|no) (?:info\b|information|context|evidence|data\b)"
    r"|(?:do not|don't|does not|doesn't|did not|didn't) (?:\w+ )?(?:know|say|specify|mention|tell)"
    r"|^no answer|hard to (?:say|tell)|^n/a$|not applicable"
    r"|^(?:i'?m |i am )?(?:sorry|unsure|undecided|idk)\b"
)
"""How English declines, in lower case. Other recurring answers are found by their frequency."""
_NUMBER = re.compile(r"[-+]?[$€£]?\d[\d.,:/ ]*(?:%|e[-+]?\d+)?")
_YES, _NO = re.compile(r"(?:yes|yeah|yep|true)\b"), re.compile(r"(?:no|nope|false)\b")


def answer_form(answers: pl.Series, pool: pl.Series | None = None) -> pl.Series | None:
    """Return the form of each answer (n,), or None if answers are long or all of one form.

    An answer declines, says yes or no, or is a number; else it is its own form if at least 2% of
    the ``pool`` (by default the answers themselves) give it; else its form is its number of words,
    and whether it begins with a capital if some do.

    Examples
    --------
    >>> said = ["unknown", "Can't be determined.", "7", "yes", "the old man"]
    >>> answer_form(pl.Series(said)).to_list()
    ['declines to answer', 'declines to answer', 'a number', 'yes', 'the old man']
    """
    if answers.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return None
    texts = _plain(answers)
    every = texts if pool is None else _plain(pool)
    n_words = every.str.split(" ").list.len().to_numpy()
    if not n_words.size or (n_words <= _MOST_WORDS).mean() < _SHORT_SHARE:
        return None
    counted = every.str.to_lowercase().value_counts(name="n")
    common = set(counted.filter(pl.col("n") >= _COMMON_SHARE * every.len()).to_series().to_list())
    has_capitals = _share_of_capitals(every) >= _COMMON_SHARE
    distinct = pl.concat([texts, every]).unique()
    forms = {text: _form(text, common, has_capitals) for text in distinct.to_list()}
    found = texts.replace_strict(forms, return_dtype=pl.String).alias(ANSWER_FORM)
    of_pool = {forms[text] for text in every.unique().to_list()}
    return found if len(of_pool) > 1 else None


def with_answer_form(tables: Sequence[pl.DataFrame], y_pred: str) -> list[pl.DataFrame]:
    """Return the tables of one assay with the column ``ANSWER_FORM``; the first is the pool.

    Raises
    ------
    InputError
        If the answers have no form.
    """
    for table in tables:
        require_columns(table, [y_pred])
    pool = tables[0].get_column(y_pred)
    found = [answer_form(table.get_column(y_pred), pool) for table in tables]
    columns = [column for column in found if column is not None]
    if len(columns) < len(tables):
        raise InputError(
            f"answer_form must have short texts of two or more forms in {y_pred!r}; got "
            f"{pool.dtype} such as {pool.drop_nulls().head(3).to_list()!r:.80}. Leave it out."
        )
    return [table.with_columns(column) for table, column in zip(tables, columns, strict=True)]


def _plain(answers: pl.Series) -> pl.Series:
    """Return answers with single spaces, straight quotes and no full stop at the end."""
    texts = answers.cast(pl.String).fill_null("").str.replace_all("[’`]", "'")
    return texts.str.replace_all(r"\s+", " ").str.strip_chars(" .!\"'")


def _share_of_capitals(texts: pl.Series) -> float:
    """Return the smaller share of those that begin with a capital and those that do not."""
    share = float(texts.str.contains(r"^\p{Lu}").to_numpy().mean())
    return min(share, 1.0 - share)


def _form(text: str, common: set[str], has_capitals: bool) -> str:
    small = text.lower()
    if not small:
        return "nothing"
    if _DECLINED.search(small):
        return DECLINES
    if _YES.match(small):
        return "yes"
    if _NO.match(small):
        return "no"
    if _NUMBER.fullmatch(small):
        return "a number"
    if small in common:
        return small
    n_words = small.count(" ") + 1
    length = "one word" if n_words == 1 else "two to four words" if n_words < 5 else "a sentence"
    return f"{length}, in capitals" if has_capitals and text[0].isupper() else length
