"""Laws of the evidence, and the errors of bad input."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.evidence import Evidence, columns_by_value
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError, UnknownNameError

ACCENT = Attribute("accent", ("de", "en", "fr"))
DIGIT = Attribute("digit", (0, 1))
SPACE = AttributeSpace((ACCENT, DIGIT))
PATTERN = {"accent": "p_accent__*"}


def frame(**columns: object) -> pl.DataFrame:
    base: dict[str, object] = {
        "digit": [1, 0],
        "p_accent__fr": [0.1, 0.2],
        "p_accent__de": [0.7, 0.2],
        "p_accent__en": [0.2, 0.6],
    }
    return pl.DataFrame({**base, **columns})


def test_columns_are_matched_to_values_by_name_and_not_by_order() -> None:
    evidence = Evidence.from_frame(frame(), SPACE, PATTERN)
    np.testing.assert_allclose(evidence.columns[0], [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2]])
    np.testing.assert_array_equal(evidence.columns[1], [1, 0])
    assert evidence.is_guessed == (True, False)
    np.testing.assert_array_equal(evidence.predicted(), [[0, 1], [1, 0]])


def test_values_that_are_numbers_match_columns_by_their_string_form() -> None:
    rows = frame(p_digit__0=[0.25, 0.5], p_digit__1=[0.75, 0.5])
    evidence = Evidence.from_frame(rows, SPACE, {"digit": "p_digit__*", **PATTERN})
    np.testing.assert_allclose(evidence.columns[1], [[0.25, 0.75], [0.5, 0.5]])


def test_boolean_values_match_columns_in_lower_case() -> None:
    space = AttributeSpace((Attribute("old", (False, True), kind="boolean"),))
    rows = pl.DataFrame({"p_true": [0.3], "p_false": [0.7]})
    np.testing.assert_allclose(
        Evidence.from_frame(rows, space, {"old": "p_*"}).columns[0], [[0.7, 0.3]]
    )


def test_a_missing_row_is_uniform() -> None:
    gaps = {name: [None, 0.0] for name in ("p_accent__fr", "p_accent__de")}
    evidence = Evidence.from_frame(frame(**gaps, p_accent__en=[None, 1.0]), SPACE, PATTERN)
    np.testing.assert_allclose(evidence.columns[0], [[1 / 3] * 3, [0, 1, 0]])


def test_a_missing_exact_value_and_an_attribute_from_the_label_are_unknown() -> None:
    evidence = Evidence.from_frame(frame(digit=[None, 0]), SPACE, PATTERN)
    np.testing.assert_array_equal(evidence.columns[1], [-1, 0])
    np.testing.assert_allclose(evidence.probabilities(1), [[0.5, 0.5], [1.0, 0.0]])
    revealed = Evidence.from_frame(frame(), SPACE, PATTERN, from_label=["digit"])
    np.testing.assert_array_equal(revealed.columns[1], [-1, -1])


def test_logits_become_probabilities_and_are_unchanged_by_a_shift() -> None:
    logits = {
        "p_accent__fr": [1.0, 2.0],
        "p_accent__de": [3.0, -900.0],
        "p_accent__en": [0.0, 2.0],
    }
    shifted = {name: [v + 5.0 for v in values] for name, values in logits.items()}
    one = Evidence.from_frame(frame(**logits), SPACE, PATTERN, logits=["accent"])
    two = Evidence.from_frame(frame(**shifted), SPACE, PATTERN, logits=["accent"])
    np.testing.assert_allclose(one.columns[0], two.columns[0])
    np.testing.assert_allclose(one.columns[0][1], [0.0, 0.5, 0.5])


def test_take_accepts_numbers_masks_and_slices() -> None:
    evidence = Evidence.from_frame(frame(), SPACE, PATTERN)
    for rows in ([1], np.array([False, True]), slice(1, 2)):
        taken = evidence.take(rows)
        assert taken.n_rows == 1
        np.testing.assert_allclose(taken.columns[0], [[0.2, 0.6, 0.2]])


def test_exact_evidence_predicts_its_own_codes() -> None:
    codes = np.array([[2, 1], [0, -1]])
    np.testing.assert_array_equal(Evidence.exact(SPACE, codes).predicted(), codes)


def test_arrays_are_read_only_and_detached_from_the_input() -> None:
    codes = np.array([0, 1])
    evidence = Evidence(SPACE, (np.full((2, 3), 1 / 3), codes))
    codes[0] = 1
    assert evidence.columns[1][0] == 0
    with pytest.raises(ValueError, match="read-only"):
        evidence.columns[0][0, 0] = 1.0


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"p_accent__fr": [0.0, 0.2], "p_accent__de": [0.0, 0.2], "p_accent__en": [0.0, 0.6]},
         "'accent' in row 0 must not be all zero"),
        ({"p_accent__fr": [float("nan"), 0.2]}, "'accent' in row 0 must be numbers; got"),
        ({"p_accent__fr": [0.5, 0.2]}, "'accent' in row 0 must sum to one; got"),
        ({"p_accent__fr": [-0.1, 0.2], "p_accent__de": [0.9, 0.2]}, "must not be negative"),
        ({"p_accent__fr": [None, 0.2]}, "row 0 must be complete or entirely missing"),
        ({"p_accent__fr": ["x", "y"]}, "must hold numbers; got String"),
        ({"p_accent__xx": [0.0, 0.0]}, r"unknown: \['xx'\]"),
    ],
)  # fmt: skip
def test_bad_evidence_is_refused_by_name(columns: dict[str, list[object]], text: str) -> None:
    with pytest.raises(InputError, match=text):
        Evidence.from_frame(frame(**columns), SPACE, PATTERN)


def test_a_value_without_its_column_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"missing: \['en'\]"):
        Evidence.from_frame(frame().drop("p_accent__en"), SPACE, PATTERN)


def test_a_pattern_without_a_column_and_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="columns for attribute 'accent'"):
        Evidence.from_frame(frame(), SPACE, {"accent": "q_*"})
    with pytest.raises(InputError, match="pattern with one star"):
        Evidence.from_frame(frame(), SPACE, {"accent": "p_accent"})
    with pytest.raises(UnknownNameError, match="'acent'"):
        Evidence.from_frame(frame(), SPACE, {"acent": "p_accent__*"})
    with pytest.raises(UnknownNameError, match="attribute column"):
        Evidence.from_frame(frame().drop("digit"), SPACE, PATTERN)


def test_logits_must_be_finite() -> None:
    rows = frame(p_accent__fr=[float("inf"), 0.0])
    with pytest.raises(InputError, match="logits of attribute 'accent' must be finite"):
        Evidence.from_frame(rows, SPACE, PATTERN, logits=["accent"])


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (
            (np.full((2, 3), 1 / 3), np.array([0, 2])),
            "codes of attribute 'digit' must lie in 0..1",
        ),
        ((np.full((2, 3), 1 / 3), np.array([0])), "same number of rows; got"),
        ((np.full((2, 3), 1 / 3),), "one column for each of"),
        ((np.full((2, 2), 1 / 2), np.array([0, 1])), r"probabilities \(n, 3\); got"),
        ((np.full((2, 3), 1 / 3), np.array([0.5, 0.5])), "whole-number codes"),
    ],
)
def test_columns_of_the_wrong_shape_are_refused(
    columns: tuple[np.ndarray, ...], text: str
) -> None:
    with pytest.raises(InputError, match=text):
        Evidence(SPACE, columns)


def test_the_star_stands_for_the_value_and_never_for_nothing() -> None:
    names = ["p_a__x_q", "p_a___q", "p_a__q", "p_a__1.5_q", "other"]
    assert columns_by_value("p_a__*_q", names) == {"x": "p_a__x_q", "1.5": "p_a__1.5_q"}
    assert columns_by_value("*", ["a", "b"]) == {"a": "a", "b": "b"}
    assert columns_by_value("p_[ab]*", ["p_a", "p_[ab]c"]) == {"c": "p_[ab]c"}


@pytest.mark.parametrize("pattern", ["p_a", "p_*_*", ""])
def test_a_pattern_must_have_one_star(pattern: str) -> None:
    with pytest.raises(InputError, match=r"mine must be a pattern with one star, .* got '"):
        columns_by_value(pattern, ["p_a"], what="mine")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ((False, True), ("False", "True")),
        ((False, True), ("false", "TRUE")),
        ((1, 2), ("1.0", "2")),
        (("1.0", "2.0"), ("1", "2")),
    ],
)
def test_probability_columns_are_found_however_they_write_a_value(
    values: tuple[object, ...], names: tuple[str, str]
) -> None:
    frame = pl.DataFrame({f"p_a__{names[0]}": [0.25], f"p_a__{names[1]}": [0.75]})
    space = AttributeSpace((Attribute("a", values),))  # type: ignore[arg-type]
    assert Evidence.from_frame(frame, space, {"a": "p_a__*"}).columns[0].tolist() == [[0.25, 0.75]]
