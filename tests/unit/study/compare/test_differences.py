"""Differences of two services: both kinds answer alike, and each keeps its own laws."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.study.compare.differences import (
    Difference,
    Differences,
    IndependentDifferences,
    PairedDifferences,
)

ROWS = pl.DataFrame(
    {"sex": ["F"] * 40 + ["M"] * 40, "a": [1] * 60 + [0] * 20, "b": [1] * 30 + [0] * 50}
)


def independent() -> IndependentDifferences:
    a, b = (aa.estimate(ROWS, ["sex"], s, estimator="beta-independent") for s in ("a", "b"))
    return IndependentDifferences(a, b)


def paired() -> PairedDifferences:
    draws = np.random.default_rng(0).normal([0.2, -0.1], 0.1, (4000, 2))
    return PairedDifferences(np.array([0.2, 0.0, -0.1]), np.array([0, 2]), draws)


@pytest.mark.parametrize("differences", [independent(), paired()], ids=["independent", "paired"])
class TestBothKinds:
    def test_the_reverse_is_the_negative(self, differences: Differences) -> None:
        other = differences.reverse()
        lower, upper = differences.interval
        low, high = other.interval
        assert other.mean == pytest.approx(-differences.mean)
        assert other.sd == pytest.approx(differences.sd)
        assert low == pytest.approx(-upper, abs=1e-3)
        assert high == pytest.approx(-lower, abs=1e-3)
        assert other.probability == pytest.approx(1.0 - differences.probability)

    def test_an_average_of_one_arm_is_that_arm(self, differences: Differences) -> None:
        weight = np.zeros(differences.mean.size)
        weight[0] = 1.0
        found = differences.over(weight)
        lower, upper = (end[0] for end in differences.interval)
        assert (found.mean, found.lower, found.upper) == pytest.approx(
            (differences.mean[0], lower, upper)
        )
        assert found.probability == pytest.approx(differences.probability[0])

    def test_more_is_likelier_to_be_at_most(self, differences: Differences) -> None:
        chances = np.stack([differences.at_most(bound) for bound in (-2.0, 0.0, 0.1, 2.0)])
        assert (np.diff(chances, axis=0) >= 0.0).all()
        assert chances[0] == pytest.approx(0.0)
        assert chances[-1] == pytest.approx(1.0)

    def test_an_average_of_arms_has_the_average_mean(self, differences: Differences) -> None:
        weight = np.full(differences.mean.size, 1.0 / differences.mean.size)
        found = differences.over(weight)
        assert found.mean == pytest.approx(differences.mean.mean())
        assert found.lower < found.mean < found.upper


def test_independent_variances_add() -> None:
    found = independent()
    assert found.sd**2 == pytest.approx(found.first.sd**2 + found.second.sd**2)


def test_an_arm_in_which_none_differ_is_known_without_a_label() -> None:
    found = paired()
    assert (found.sd[1], *(end[1] for end in found.interval)) == (0.0, 0.0, 0.0)
    assert found.probability[1] == 0.5
    assert (found.at_most(0.0)[1], found.at_most(-0.01)[1]) == (1.0, 0.0)


def test_what_is_the_same_counts_half() -> None:
    draws = np.array([[0.1], [0.0], [0.0], [-0.1]])
    assert PairedDifferences(np.zeros(1), np.array([0]), draws).probability.tolist() == [0.5]


def test_known_surfaces_are_better_or_not() -> None:
    a = independent().first
    same = IndependentDifferences(a, a)
    certain = np.zeros(a.arms.size)
    assert same.probability.tolist() == [0.5, 0.5]
    assert same.mean == pytest.approx(certain)


def test_a_difference_reads_as_a_sentence() -> None:
    shown = str(Difference(0.025, 0.01, -0.01, 0.05, 0.9, 0.94))
    assert shown == ("+2.5 points (90% interval -1.0 to +5.0; better with a probability of 94%)")
