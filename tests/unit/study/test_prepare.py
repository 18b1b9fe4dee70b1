"""The forgiving front: what may be named, and what gives the answer away."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.domain.space import Attribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.prepare import (
    attribute_names,
    check_target,
    refuse_leak,
    resolve_space,
    signal_names,
)

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
        ("sex", "attributes must be a list of columns; got 'sex' alone"),
        (Attribute("sex", ("F", "M")), "attributes must be a list of columns; got Attribute"),
        ([3], "column names or Attribute values; got 3"),
        (["sex", "sex"], "attributes must name different columns"),
        ([], "at least one column; got none"),
        (["Sex"], r"got 'Sex'. Did you mean 'sex'\?"),
        (["n"], "differ from the surface's columns"),
    ],
)
def test_what_cannot_span_a_space_is_refused(attributes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve_space(attributes, FRAME)


def test_names_of_columns_and_declared_attributes_mix() -> None:
    assert attribute_names(["sex", Attribute("age", (1, 2))]) == ["sex", "age"]


@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ("sure", "signals must be a list of columns; got the text 'sure'"),
        (["sure", "sure"], "signals must name different columns"),
        (["sex"], "got 'sex', which is an attribute"),
        (["correct"], "got 'correct', which is the score"),
    ],
)
def test_what_cannot_be_a_signal_is_refused(signals: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        signal_names(signals, ["sex"], "correct")


def test_no_signals_are_fine() -> None:
    assert signal_names(None, ["sex"], None) == []
    assert signal_names(("sure",), ["sex"], None) == ["sure"]


def test_there_are_two_targets() -> None:
    check_target("pool")
    check_target("population")
    with pytest.raises(UnknownNameError, match=r"got 'pol'. Did you mean 'pool'\?"):
        check_target("pol")


LABEL = [0, 1, 2, 0, 1, 2] * 4
GUESS = [0, 1, 1, 0, 2, 2] * 4
EQUAL = [float(a == b) for a, b in zip(LABEL, GUESS, strict=True)]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_a_label_beside_the_predicted_class_gives_the_answer_away(dtype: Any) -> None:
    frame = pl.DataFrame({"digit": LABEL, "said": pl.Series(GUESS).cast(dtype)})
    with pytest.raises(InputError, match="signal 'said' must not reveal the score; got attribute"):
        refuse_leak(frame, pl.Series(EQUAL), ["digit"], ["said"])


def test_named_columns_are_enough_to_see_a_leak() -> None:
    frame = pl.DataFrame({"digit": LABEL[:3], "said": GUESS[:3]})
    scores = pl.Series(EQUAL[:3])
    refuse_leak(frame, scores, ["digit"], ["said"])
    with pytest.raises(InputError, match="must not reveal the score"):
        refuse_leak(frame, scores, ["digit"], ["said"], y_true="digit", y_pred="said")


def test_the_predicted_class_alone_is_no_leak() -> None:
    frame = pl.DataFrame({"colour": ["r", "g"] * 12, "said": GUESS})
    refuse_leak(frame, pl.Series(EQUAL), ["colour"], ["said"], y_true="digit", y_pred="said")
