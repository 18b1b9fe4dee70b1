import numpy as np
import polars as pl
import pytest
from gate_world import SEX_AGE, normal_surface

from accuracy_assay.study.gate.slices import arms, every_slice, joined, values, whole

ROWS = [100.0, 200.0, 300.0, 5.0, 6.0, 7.0]
RATES = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def test_the_whole_is_what_the_surface_says_of_it() -> None:
    surface = normal_surface(RATES, rows=ROWS)
    for where in ({}, {"sex": "F"}, {"age": ["old", "young"]}):
        found = whole(surface, where)
        expected = surface.average(surface.weights(where))
        assert found.weight @ surface.mean == pytest.approx([expected.mean])
        assert (found.labels[0], found.rows[0]) == (expected.n, expected.support)
    mix = pl.DataFrame({"sex": ["F", "M"], "weight": [1.0, 3.0]})
    found = whole(surface, mix=mix, mix_name="mix.csv")
    assert found.weight @ surface.mean == pytest.approx([surface.under(mix).mean])
    assert found.names == ["mix.csv"]


def test_values_are_those_of_the_marginal() -> None:
    surface = normal_surface(RATES, rows=ROWS)
    found = values(surface, "age", surface.mass(), 20.0)
    expected = surface.marginal("age")
    assert found.weight @ surface.mean == pytest.approx(expected["mean"].to_numpy())
    assert found.rows == pytest.approx(expected["support"].to_numpy())
    assert found.names == ["age = young", "age = middle", "age = old"]


def test_slices_of_few_rows_are_left_out_and_named() -> None:
    surface = normal_surface(RATES, rows=ROWS)
    found = values(surface, "sex", surface.mass(), 20.0)
    assert (found.names, found.thin) == (["sex = F"], ["sex = M"])
    each = arms(surface, surface.mass(), 20.0)
    assert each.names[0] == "sex = F and age = young"
    assert (len(each), each.thin) == (3, ["3 arms"])
    assert every_slice(surface, 3, 20.0).thin == ["sex = M"]


def test_values_that_a_mix_does_not_have_are_no_slices() -> None:
    surface = normal_surface(RATES)
    mix = pl.DataFrame({"age": ["young", "old"]})
    assert values(surface, "age", surface.mass(mix=mix), 20.0).names == [
        "age = young",
        "age = old",
    ]


def test_slices_are_values_and_their_combinations() -> None:
    surface = normal_surface(RATES)
    single, double = every_slice(surface, 1, 20.0), every_slice(surface, 2, 20.0)
    assert (len(single), len(double)) == (5, 5 + 6)
    assert double.order.tolist() == [1] * 5 + [2] * 6
    at = double.names.index("sex = M and age = old")
    assert (double.weight @ surface.mean)[at] == pytest.approx(1.0)


def test_joined_slices_keep_their_order_and_weights() -> None:
    surface = normal_surface(RATES, rows=ROWS)
    parts = [whole(surface), values(surface, "sex", surface.mass(), 20.0)]
    both = joined(parts)
    assert both.names == ["the whole pool", "sex = F"]
    assert both.order.tolist() == [0, 1]
    assert both.thin == ["sex = M"]
    assert np.asarray(both.weight.sum(axis=1)).ravel() == pytest.approx([1.0, 1.0])
    assert both.weight.shape == (2, SEX_AGE.n_arms)
