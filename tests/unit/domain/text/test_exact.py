"""Each rule against sentences that it must find and sentences that only look like them."""

from collections.abc import Callable

import polars as pl
import pytest

from accuracy_assay.domain.text.exact import (
    has_code,
    has_negation,
    has_quoted_speech,
    is_question,
    numerals,
    question_word,
)

QUESTIONS = [
    "Where are you?",
    'He asked, "Why?" and left.',
    "You are coming, right?!",
    "(Is it true?)",
    "What is 2 + 2?\nA. 3\nB. 4",
    "هل أنت بخير؟",
    "你好吗？我很好。",
    "Τι κάνεις\u037e",
    "Ինչպե՞ս ես",
    "where are you",
    "is the train late",
    "don't you know",
    "haven't we met",
    "what's your name",
    "which train do you take",
    "how many people did they see",
    "Is it\nover",
]
NO_QUESTIONS = [
    "",
    "I wonder where you are.",
    "What a day!",
    "What is done is done.",
    "When I came home he had left",
    "have a nice day",
    "do the dishes",
    "may the force be with you",
    "See example.com/page?id=1 for more",
    "Isabel is the best",
    "how long it took",
    "Statement: this is it",
]
NEGATIONS = [
    "I do not know.",
    "No, thank you.",
    "She never came back.",
    "Nobody knows",
    "Which of these is NOT a metal?",
    "I don't care",
    "I don’t care",
    "he didnt see it",
    "We cannot stay",
    "neither here nor there",
    "Without water, plants die.",
    "it ain't over",
]
NO_NEGATIONS = [
    "",
    "A knot in the rope",
    "Note that it is so",
    "Take bus No. 5",
    "nos. 7 and 8",
    "not only fast but cheap",
    "Another notice",
    "Nothingness",
    "I know Noah",
    "The aunt wants a want ad",
    "All of these EXCEPT one",
]
QUOTES = [
    '"Go away," he said.',
    "He said, “Go away.”",
    "Er sagte: „Geh weg.“",
    "Il dit : « Va-t'en »",
    "彼は「行け」と言った",
    "'Hello,' she said.",
    "She whispered, ‘Don’t go.’",
    'The word "dog" is short',
]
NO_QUOTES = [
    "",
    "The dog's bone",
    "rock 'n' roll in the '90s",
    'A frame of 5" x 7" or 8" x 10"',
    "The boys' and girls' rooms",
    "He said go away.",
    'print("hello")',
    '""',
    'an unpaired " mark',
]
CODE = [
    "```\nx\n```",
    "Use the `len` function",
    "def f(x): return x",
    "import numpy",
    "from os import path",
    "#include <stdio.h>",
    "for (int i = 0; i < n; i++) { s += i; }",
    'printf("hi");',
    "np.mean(values)",
    "call my_function(3)",
    "<div>text</div>",
    "a line break <br/> here",
    "SELECT name FROM users WHERE id = 3",
    "if x == 3 then stop",
    "std::vector",
    "let x = 3",
    "int x = 5; return",
]
NO_CODE = [
    "",
    "Find f(x) = x^2 + 3 for x = 2",
    "Let x = 3 be given; find y",
    "C++ is a language",
    "If (a) is true, then (b) is false",
    "A -> B | C",
    "Is 3 < 5 and 7 > 6?",
    "e.g. (this) or i.e. (that)",
    "Import duties rose from France",
    "The class of 1990: a story",
    "He paid $5",
    "Statement 1 | Every group is abelian. Statement 2 | p(x) = 0",
    "the lower-case letters [a, b] {c}",
    "Let G = (V, E); it has no cycle",
    "Let x = 3; then y = 4;",
]


@pytest.mark.parametrize(
    ("rule", "found", "not_found"),
    [
        (is_question, QUESTIONS, NO_QUESTIONS),
        (has_negation, NEGATIONS, NO_NEGATIONS),
        (has_quoted_speech, QUOTES, NO_QUOTES),
        (has_code, CODE, NO_CODE),
    ],
)
def test_a_rule_finds_what_it_names_and_nothing_else(
    rule: Callable[[pl.Series], pl.Series], found: list[str], not_found: list[str]
) -> None:
    texts = pl.Series([*found, *not_found])
    wrong = texts.filter(rule(texts) != pl.Series([True] * len(found) + [False] * len(not_found)))
    assert wrong.to_list() == []
    assert rule(pl.Series([None, "\x00[]{}()"], dtype=pl.String)).to_list() == [None, False]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("He is 42", "digits"),
        ("४२ रुपये", "digits"),
        ("½ cup", "digits"),
        ("B2B and two", "digits"),
        ("Twenty-one men", "words"),
        ("six", "words"),
        ("hundreds of them", "words"),
        ("a dozen eggs", "words"),
        ("that one, at first", "none"),
        ("the tent was often there", "none"),
        ("a second", "none"),
        ("", "none"),
        (None, None),
    ],
)
def test_numerals_are_digits_words_or_none(text: str | None, value: str | None) -> None:
    assert numerals(pl.Series([text], dtype=pl.String)).to_list() == [value]


def test_a_very_long_text_costs_time_in_proportion() -> None:
    long = pl.Series(["(" * 200_000 + "'" * 200_000 + "a=" * 200_000])
    for rule in (is_question, has_negation, has_quoted_speech, has_code, numerals):
        assert rule(long).len() == 1


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Which of the following is true?", "which"),
        ("He left at five. How many are left?", "how many"),
        ("What is it? And why?", "why"),
        ("Context: who cares.\nWhere is it?\nA. here\nB. there", "where"),
        ("To whom does it belong?", "who"),
        ("what's that?", "what"),
        ("When it rains, is it wet?", "when"),
        ("Is it late?", "none"),
        ("how to boil an egg", "how"),
        ("I know what it is.", "none"),
        ("", "none"),
        (None, None),
    ],
)
def test_the_question_word_is_that_of_the_last_question(text: str, word: str) -> None:
    assert question_word(pl.Series([text], dtype=pl.String)).to_list() == [word]
