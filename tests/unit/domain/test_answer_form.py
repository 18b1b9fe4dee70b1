"""The form of short answers is seen without a label, and where there is none that is said."""

import polars as pl
import pytest

from accuracy_assay.domain.answer_form import (
    ANSWER_FORM,
    DECLINES,
    answer_form,
    with_answer_form,
)
from accuracy_assay.errors import InputError, UnknownNameError

NAMES = [f"person {i}" for i in range(100)]


def form(text: str, *others: str) -> str:
    """Return the form of a text among many answers that do not recur."""
    found = answer_form(pl.Series([text, *(others or ("yes",)), *NAMES]))
    assert found is not None
    return str(found[0])


@pytest.mark.parametrize(
    "text",
    [
        "Unknown",
        "can't be determined",
        "Cannot be answered.",
        "I can’t tell from this",
        "not enough info",
        "There is insufficient information",
        "not answerable",
        "I don't know",
        "The text does not say",
        "It is not clear who",
        "I'm sorry, I cannot help with that",
        "undetermined",
    ],
)
def test_answers_that_decline_are_one_form(text: str) -> None:
    assert form(text) == DECLINES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", "yes"),
        ("Yes, he did", "yes"),
        ("No.", "no"),
        ("false", "no"),
        ("42", "a number"),
        ("-3.5", "a number"),
        ("$1,200", "a number"),
        ("12 %", "a number"),
        ("1984", "a number"),
        ("grandmother", "one word"),
        ("the unknown soldier", "two to four words"),
        ("the man who cannot swim", "a sentence"),
        ("north", "one word"),
        ("", "nothing"),
    ],
)
def test_other_answers_are_told_by_kind_or_length(text: str, expected: str) -> None:
    assert form(text) == expected


def test_an_answer_that_recurs_is_a_form_of_its_own() -> None:
    answers = pl.Series(["ne sait pas"] * 3 + NAMES)
    found = answer_form(answers)
    assert found is not None
    assert set(found[:3]) == {"ne sait pas"}
    assert set(found[3:]) == {"two to four words"}


def test_capitals_count_where_some_have_them() -> None:
    mixed = pl.Series(["Anna Berg", "Ben"] + ["a man", "somebody"] + [f"x{i}" for i in range(60)])
    found = answer_form(mixed)
    assert found is not None
    assert found[:4].to_list() == [
        "two to four words, in capitals",
        "one word, in capitals",
        "two to four words",
        "one word",
    ]
    assert (
        not answer_form(pl.Series(["yes", *[f"Name{i} {i}" for i in range(99)]]))
        .str.contains("capitals")
        .any()
    )


def test_the_pool_decides_which_answers_recur() -> None:
    pool = pl.Series(["blue"] * 50 + NAMES)
    found = answer_form(pl.Series(["blue", "green"]), pool)
    assert found is not None
    assert found.to_list() == ["blue", "one word"]


@pytest.mark.parametrize(
    "answers",
    [
        pl.Series([0.5, 0.25]),
        pl.Series([" ".join(["word"] * 30), "yes", " ".join(["other"] * 20)]),
        pl.Series([f"name{i}" for i in range(100)]),
        pl.Series(["1", "2", "3"]),
        pl.Series([], dtype=pl.String),
    ],
    ids=["numbers", "long texts", "one length", "one kind", "nothing"],
)
def test_answers_without_forms_have_none(answers: pl.Series) -> None:
    assert answer_form(answers) is None


def test_tables_get_the_column_and_the_first_is_the_pool() -> None:
    pool = pl.DataFrame({"said": ["unknown", "blue", "blue", *NAMES]})
    some = pl.DataFrame({"said": ["blue", "unknown"]})
    whole, part = with_answer_form([pool, some], "said")
    assert whole[ANSWER_FORM][:2].to_list() == [DECLINES, "one word"]
    assert part[ANSWER_FORM].to_list() == ["one word", DECLINES]


def test_what_has_no_form_is_refused() -> None:
    table = pl.DataFrame({"said": NAMES})
    with pytest.raises(InputError, match="short texts of two or more forms in 'said'"):
        with_answer_form([table], "said")
    with pytest.raises(UnknownNameError, match="'sad'"):
        with_answer_form([table], "sad")
