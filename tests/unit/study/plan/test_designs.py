"""Ways to choose labels: which are compared, which is named, and what none can beat."""

from typing import Any

import numpy as np
import pytest
from toy_surface import SPACE, toy

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.exploration.largest_variance import LargestVariance
from accuracy_assay.exploration.uniform import Random
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.protocols import Strategy
from accuracy_assay.study.plan.designs import at_best, cheapest, designs_for

HALF_WIDTH = 1.6448536269514722 * 0.02
"""Half of a 90 % interval whose variance is 0.0004."""
NOISE = np.array([0.09, 0.25, 0.25])
"""Variance of a label in each of the pool's three arms, which have 60, 20 and 20 rows."""


def posterior(*, is_pool: bool) -> CellPosterior:
    support = Support(SPACE, None, np.arange(3), np.array([60.0, 20.0, 20.0]), is_pool)
    variance = np.array([0.001, 0.002, 0.003])
    rate = np.array([0.9, 0.5, 0.5])
    rest: dict[str, Any] = {"labelled": np.zeros(3), "covariance": None}
    return CellPosterior(support, rate, variance, NOISE + variance, **rest)


@pytest.mark.parametrize(
    ("strategy", "names"),
    [
        (Random(), ["at random", "for overall"]),
        (VarianceReduction(goal="surface"), ["for surface", "for overall", "at random"]),
        (VarianceReduction(goal="overall", random_share=0.3), ["for overall", "at random"]),
        (LargestVariance(), ["by the strategy", "for overall", "at random"]),
    ],
)
def test_the_given_strategy_comes_first_and_stands_once(
    strategy: Strategy, names: list[str]
) -> None:
    found = designs_for(strategy, Aim(0.05), toy())
    assert list(found) == names
    assert found[names[0]] is strategy
    assert found["at random"].is_random


@pytest.mark.parametrize(
    ("aim", "name", "suited"),
    [
        (Aim(0.05), "for overall", VarianceReduction(goal="overall")),
        (Aim(0.05, "worst"), "for worst", VarianceReduction(goal="worst")),
        (Aim(0.05, "every-arm"), "for surface", VarianceReduction(goal="surface")),
        (
            Aim(0.05, "slice", {"sex": "F"}),
            "for sex=F",
            VarianceReduction(goal="mix", mix={0: 60.0, 1: 20.0}),
        ),
    ],
)
def test_every_aim_has_a_choice_that_is_made_for_it(
    aim: Aim, name: str, suited: VarianceReduction
) -> None:
    assert designs_for(Random(), aim, toy())[name] == suited


def test_a_choice_is_named_if_random_labels_are_a_tenth_more_and_not_less() -> None:
    assert cheapest({"for overall": 100, "at random": 110}) == "at random"
    assert cheapest({"for overall": 100, "at random": 111}) == "for overall"
    assert cheapest({"for surface": 120, "for overall": 100}) == "for overall"
    assert cheapest({"for overall": 0, "at random": 0}) == "at random"


@pytest.mark.parametrize(
    ("aim", "is_pool", "labels"),
    [
        # (0.6 * 0.3 + 0.2 * 0.5 + 0.2 * 0.5)^2 = 0.1444, of which 0.0004 are to be left.
        (Aim(HALF_WIDTH), False, 361),
        # All labels of the pool would leave nothing: 0.36 * 0.09 / 60 + 2 * 0.04 * 0.25 / 20.
        (Aim(HALF_WIDTH), True, round(0.1444 / (0.0004 + 0.00154))),
        # (0.75 * 0.3 + 0.25 * 0.5)^2 = 0.1225.
        (Aim(HALF_WIDTH, "slice", {"sex": "F"}), False, 306),
    ],
)
def test_an_average_takes_the_labels_of_neyman(aim: Aim, is_pool: bool, labels: int) -> None:
    assert at_best(toy(), posterior(is_pool=is_pool), aim).labels == labels


def test_no_division_of_so_many_labels_leaves_less(rng: np.random.Generator) -> None:
    labels = at_best(toy(), posterior(is_pool=False), Aim(HALF_WIDTH)).labels
    assert labels is not None
    weight = np.array([0.6, 0.2, 0.2])
    divided = labels * rng.dirichlet(np.ones(3), 2000)
    variance = (weight**2 * NOISE / divided).sum(axis=1)
    assert 0.0004 < variance.min() < 1.01 * 0.0004


def test_rates_that_differ_explain_their_share_of_the_scores_variance() -> None:
    # Around the mean rate of 0.74: 0.6 * 0.16^2 + 0.4 * 0.24^2 between, 0.154 within.
    for of in ("overall", "worst", "every-arm"):
        found = at_best(toy(), posterior(is_pool=True), Aim(0.05, of))
        assert found.explained == pytest.approx(0.0384 / (0.0384 + 0.154))
        assert (found.labels is None) is (of != "overall")
