"""Surfaces of several files over the same arms; unrelated ones are refused."""

from dataclasses import replace

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.compare.align import aligned


def surface_of(**columns: list[object]) -> aa.AccuracySurface:
    rows = pl.DataFrame(columns)
    names = [name for name in columns if name != "ok"]
    return aa.estimate(rows, names, "ok", estimator="beta-independent")


OLD = surface_of(sex=["F", "M"] * 4, age=["old", "old", "young", "young"] * 2, ok=[1, 0] * 4)


def test_surfaces_over_the_same_arms_stay_as_they_are() -> None:
    found = aligned({"a": OLD, "b": OLD})
    assert found["a"] is OLD
    assert found["b"] is OLD


def test_arms_are_matched_by_their_values_whatever_the_order() -> None:
    other = surface_of(age=["young", "old"] * 4, sex=["M", "M", "F", "F"] * 2, ok=[1, 1, 0, 0] * 2)
    found = aligned({"a": OLD, "b": other})["b"]
    assert found.space == OLD.space
    for sex in ("F", "M"):
        for age in ("old", "young"):
            assert found.at(sex=sex, age=age).mean == other.at(sex=sex, age=age).mean


def test_the_first_pool_says_how_large_arms_are() -> None:
    many = surface_of(sex=["F"] * 9 + ["M"], ok=[1] * 10)
    few = surface_of(sex=["F", "M"], ok=[0, 1])
    found = aligned({"few": few, "many": many})
    assert found["many"].support.tolist() == [1.0, 1.0]
    assert found["many"].n.tolist() == [9.0, 1.0]


def test_only_arms_that_all_have_are_compared() -> None:
    three = surface_of(sex=["F", "M", "X"], ok=[1, 0, 1])
    two = surface_of(sex=["M", "F"], ok=[0, 1])
    found = aligned({"three": three, "two": two})
    assert [s.arms.tolist() for s in found.values()] == [[0, 1], [0, 1]]


def test_other_attributes_are_refused() -> None:
    with pytest.raises(InputError, match=r"\['sex', 'age'\] in 'a' and \['sex', 'city'\] in 'b'"):
        aligned({"a": OLD, "b": surface_of(sex=["F", "M"], city=["x", "y"], ok=[1, 0])})


def test_attributes_without_a_common_value_are_refused() -> None:
    other = surface_of(sex=["F", "M"] * 2, age=["20s", "20s", "30s", "30s"], ok=[1, 0] * 2)
    with pytest.raises(InputError, match=r"'age' in common; got \['old', 'young'\] in 'a' and \["):
        aligned({"a": OLD, "b": other})


def test_intervals_of_different_levels_are_refused() -> None:
    with pytest.raises(InputError, match=r"the same probability; got 0.9 in 'a' and 0.5 in 'b'"):
        aligned({"a": OLD, "b": replace(OLD, level=0.5)})
