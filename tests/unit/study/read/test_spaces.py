"""Spaces of named, declared and guessed attributes, and the codes that a table knows."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.domain.space import Attribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.read.spaces import guessed_space, known_codes, resolve_space

FRAME = pl.DataFrame({"sex": ["F", "M"], "age": [1, 2], "n": [1, 2]})


def test_values_come_from_all_the_tables() -> None:
    space = resolve_space(["sex", "age"], FRAME, FRAME.with_columns(age=pl.Series([2, 3])))
    assert space.shape == (2, 3)


def test_a_declared_attribute_is_taken_as_it_is() -> None:
    declared = Attribute("age", (1, 2, 3), kind="ordinal")
    assert resolve_space([declared], FRAME).attributes == (declared,)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (["Sex"], r"got 'Sex'. Did you mean 'sex'\?"),
        (["n"], "differ from the surface's columns"),
    ],
)
def test_what_cannot_span_a_space_is_refused(attributes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve_space(attributes, FRAME)


GUESSES = pl.DataFrame({"p_sex__m": [0.2, 0.7], "p_sex__f": [0.8, 0.3], "age": [1, 2]})
GOLD = GUESSES.with_columns(sex=pl.Series(["m", None]))
LABELLED = GOLD.with_columns(digit=pl.Series([7, 3]))


def test_values_of_a_guess_are_read_off_its_pattern() -> None:
    space = guessed_space(["sex", "age"], [GUESSES], {"sex": "p_sex__*"})
    assert [a.values for a in space.attributes] == [("f", "m"), (1, 2)]


def test_gold_that_names_all_values_says_how_they_are_written() -> None:
    tables = [GUESSES.rename({"p_sex__m": "p_sex__2", "p_sex__f": "p_sex__10"}).drop("age")]
    as_texts = guessed_space(["sex"], tables, {"sex": "p_sex__*"})
    assert as_texts.attributes[0].values == ("10", "2")
    gold = tables[0].with_columns(sex=pl.Series([10, 2]))
    assert guessed_space(["sex"], [*tables, gold], {"sex": "p_sex__*"}).attributes[0].values == (
        2,
        10,
    )


@pytest.mark.parametrize("gold", [["m", None], [None, None]])
def test_gold_of_few_values_leaves_the_pattern_its_own(gold: list[str | None]) -> None:
    table = GUESSES.with_columns(sex=pl.Series(gold, dtype=pl.String))
    space = guessed_space(["sex"], [table], {"sex": "p_sex__*"})
    assert space.attributes[0].values == ("f", "m")


def test_a_declared_guess_keeps_its_order_and_a_revealed_one_comes_from_any_table() -> None:
    declared = Attribute("sex", ("m", "f"))
    space = guessed_space([declared, "digit"], [GUESSES, LABELLED], {"sex": "p_sex__*"})
    assert space.attributes[0] == declared
    assert space.attributes[1].values == (3, 7)
    with pytest.raises(UnknownNameError, match="got 'digit'"):
        guessed_space(["digit"], [GUESSES], {})


def test_evidence_of_no_attribute_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'sexx'\. Did you mean 'sex'\?"):
        guessed_space(["sex"], [FRAME], {"sexx": "p_sex__*"})
    with pytest.raises(InputError, match="differ from the surface's columns"):
        guessed_space(["n"], [FRAME], {})


def test_codes_are_known_where_a_table_has_a_value() -> None:
    space = guessed_space(["sex", "age", "digit"], [LABELLED], {"sex": "p_sex__*"})
    assert known_codes(space, LABELLED).tolist() == [[1, 0, 1], [-1, 1, 0]]
    assert known_codes(space, GUESSES).tolist() == [[-1, 0, -1], [-1, 1, -1]]
