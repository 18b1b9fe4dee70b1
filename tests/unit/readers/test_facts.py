"""Facts of any shape become plain columns, or a reason."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.readers.facts import flatten, plain_column


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"end": 1}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({"a": {"b": {"c": 1}}}, {"a.b.c": 1}),
        ({"a": ["x", 2, None]}, {"a": "x, 2, "}),
        ({"a": [], "b": None, "c": float("nan"), "d": 2**70}, {}),
        ({"a": True, "b": 0.5, "c": "x"}, {"a": True, "b": 0.5, "c": "x"}),
        ({"a.b": 1, "a": {"b": 2}}, {"a.b": 1}),
    ],
)
def test_values_keep_their_path(facts: dict[str, Any], found: dict[str, Any]) -> None:
    assert flatten(facts, {}) == found


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"a": [[1]]}, {"a": "a list of objects"}),
        ({"a": list(range(21))}, {"a": "lists of more than 20 values"}),
        (nested(9), {"a.a.a.a.a.a": "objects nested more than 6 deep"}),
        ({"a": b"x"}, {"a": "values of type bytes"}),
    ],
)
def test_what_fits_no_cell_is_left_out_with_the_reason(
    facts: dict[str, Any], reason: dict[str, str]
) -> None:
    why: dict[str, str] = {}
    assert flatten(facts, why) == {}
    assert why == reason


def test_a_column_has_one_type() -> None:
    assert plain_column("x", [True, None]).dtype == pl.Boolean
    assert plain_column("x", [1, 2.5]).to_list() == [1.0, 2.5]
    assert plain_column("x", [True, 1, "a"]).to_list() == ["true", "1", "a"]
    assert plain_column("x", [None]).dtype == pl.String
