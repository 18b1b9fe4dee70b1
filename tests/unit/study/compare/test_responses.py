"""A surface's responses are how far its averages move when a label does."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.study.compare.responses import Responses, pool_rates
from accuracy_assay.tasks.synthetic import synthetic

POOL = synthetic(rows=1500, attributes=2, values=3).rows
ROWS = POOL.sample(200, seed=1)


def fitted(rows: pl.DataFrame, **options: object) -> aa.AccuracySurface:
    return aa.estimate(rows, ["a1", "a2"], score="correct", pool=POOL, **options)  # type: ignore[arg-type]


def arms_of(surface: aa.AccuracySurface, rows: pl.DataFrame) -> Affiliation:
    return Affiliation.exact(surface.space.arm_index(surface.space.encode(rows)))


def test_an_average_moves_by_its_response_when_a_score_changes() -> None:
    surface = fitted(ROWS)
    found = Responses.of(surface, arms_of(surface, ROWS), 1)
    weights = np.stack([surface.weights(), surface.weights({"a1": "v0"})])
    expected = found.to_rows(weights)
    # Wrong rows of one arm that become right; theta is learned anew, which is a second order.
    arm = surface.space.arm_index(surface.space.encode(ROWS))
    row = int(np.flatnonzero(ROWS["correct"].to_numpy() < 0.5)[0])
    scores = ROWS["correct"].to_numpy().astype(float)
    scores[row] = 1.0
    moved = fitted(ROWS.with_columns(pl.Series("correct", scores)))
    for weight, response in zip(weights, expected, strict=True):
        change = moved.average(weight).mean - surface.average(weight).mean
        assert change == pytest.approx(response[row], rel=0.5, abs=0.002)
    assert (expected[1][arm == arm[row]] == expected[1][row]).all()


def test_an_estimator_of_independent_arms_responds_to_the_labels_of_an_arm_alone() -> None:
    surface = fitted(ROWS, estimator="beta-independent")
    found = Responses.of(surface, arms_of(surface, ROWS), 1)
    weight = np.zeros((1, surface.arms.size))
    weight[0, 0] = 1.0
    response = found.to_rows(weight)[0]
    is_there = found.arm == 0
    assert (response[is_there] > 0.0).all()
    assert not response[~is_there].any()


def test_coins_are_those_of_rows_without_a_label() -> None:
    surface = fitted(POOL)
    everything = Responses.of(surface, arms_of(surface, POOL), 1)
    assert everything.coin == pytest.approx(0.0)
    some = fitted(ROWS)
    assert (Responses.of(some, arms_of(some, ROWS), 1).coin[some.support > 0] > 0.0).all()


def test_rates_of_rows_average_to_the_surface() -> None:
    surface = fitted(ROWS, target="population")
    rates = pool_rates(surface, arms_of(surface, POOL), 1)
    assert rates.mean() == pytest.approx(surface.overall.mean)
