"""One accuracy for all arms, with the uncertainty of the overall accuracy."""

from typing import Literal

import numpy as np
import pytest
from scipy.stats import beta

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.constant import Constant

SPACE = AttributeSpace((Attribute("a", (0, 1, 2)),))
SUPPORT = Support.count(SPACE, None, [0, 1, 2], [10.0, 5.0, 5.0])


def observe(arms: list[int], scores: list[float]) -> Observations:
    return Observations.from_instances(SUPPORT, Affiliation.exact(arms), scores)


def test_every_arm_has_the_overall_rate_and_the_same_beta_interval(
    rng: np.random.Generator,
) -> None:
    surface = Constant().fit(observe([0, 0, 1, 2], [1, 1, 0, 1]), rng)
    assert surface.mean.tolist() == [0.75] * 3
    low, high = beta(4, 2).interval(0.9)
    np.testing.assert_allclose(surface.lower, low)
    np.testing.assert_allclose(surface.upper, high)
    np.testing.assert_allclose(surface.sd, np.sqrt(4 * 2 / (36 * 7)))


def test_an_average_of_arms_is_as_uncertain_as_one(rng: np.random.Generator) -> None:
    surface = Constant().fit(observe([0, 0, 1, 2], [1, 1, 0, 1]), rng)
    overall = surface.overall
    assert overall.mean == pytest.approx(0.75)
    assert overall.sd == pytest.approx(surface.sd[0], rel=0.02)


def test_the_interval_holds_the_rate_when_all_are_right(rng: np.random.Generator) -> None:
    surface = Constant().fit(observe([0] * 60, [1.0] * 60), rng)
    assert surface.mean.tolist() == [1.0] * 3
    assert surface.upper.tolist() == [1.0] * 3
    assert surface.lower[0] == pytest.approx(0.05 ** (1 / 61))


@pytest.mark.parametrize(("kappa_from", "mean"), [("first", 0.75), ("all", 0.5)])
def test_later_fits_keep_the_accuracy_of_the_first_unless_all_labels_are_wanted(
    rng: np.random.Generator, kappa_from: Literal["first", "all"], mean: float
) -> None:
    estimator = Constant(kappa_from=kappa_from)
    seed_set = estimator.fit(observe([0, 0, 1, 2], [1, 1, 0, 1]), rng)
    more = observe([0, 0, 1, 2, 0, 0], [1, 1, 0, 1, 0, 0])
    assert estimator.fit(more, rng, seed_set).mean.tolist() == [mean] * 3


def test_without_labels_anything_is_possible(rng: np.random.Generator) -> None:
    surface = Constant(level=0.8).fit(observe([], []), rng)
    assert surface.mean.tolist() == [0.5] * 3
    np.testing.assert_allclose(surface.lower, 0.1)
    np.testing.assert_allclose(surface.upper, 0.9)
