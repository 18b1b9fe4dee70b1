"""Additive effects shrunk by empirical Bayes: a case in closed form, and the gradient."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from assay_bench.peers.effects import effect_subsets
from assay_bench.peers.normal_arms import ArmMeans
from assay_bench.peers.shrinkage import Shrinkage, _Effects

ONE = AttributeSpace((Attribute("a", (0, 1, 2, 3)),))
TWO = AttributeSpace((Attribute("a", (0, 1, 2)), Attribute("b", (0, 1))))


def observe(space: AttributeSpace, right: list[int], n: int) -> Observations:
    """Return ``n`` labels of each of the first arms, ``right`` of them correct."""
    arms = np.repeat(np.arange(len(right)), n)
    scores = np.concatenate([np.arange(n) < r for r in right]).astype(float)
    support = Support.count(space, None, np.arange(space.n_arms))
    return Observations.from_instances(support, Affiliation.exact(arms), scores)


def test_one_way_means_are_shrunk_by_the_closed_form(rng: np.random.Generator) -> None:
    right, n = [19, 16, 10, 7], 20
    surface = Shrinkage().fit(observe(ONE, right, n), rng)
    y = np.asarray(right) / n
    # Within-arm squares n y (1 - y), joined by one coin of rate 53/82, over 4 x 19 + 1.
    noise = (n * (y * (1 - y)).sum() + 53 / 82 * 29 / 82) / 77 / n
    tau2 = ((y - y.mean()) ** 2).mean() - noise
    share = tau2 / (tau2 + noise)
    assert 0.3 < share < 0.95
    assert surface.details["tau"]["a"] == pytest.approx(np.sqrt(tau2), abs=2e-4)
    np.testing.assert_allclose(surface.mean, y.mean() + share * (y - y.mean()), atol=1e-4)


def test_arms_that_differ_by_noise_alone_get_one_mean(rng: np.random.Generator) -> None:
    surface = Shrinkage().fit(observe(ONE, [15, 14, 15, 16], 20), rng)
    np.testing.assert_allclose(surface.mean, 0.75, atol=1e-3)


def test_an_unseen_arm_is_the_sum_of_its_effects(rng: np.random.Generator) -> None:
    seen = observe(TWO, [190, 100, 190, 100, 190], 200)  # b decides, a does not; (2, 1) unseen
    surface = Shrinkage().fit(seen, rng)
    assert surface.mean[5] == pytest.approx(0.5, abs=0.05)
    assert surface.sd[5] > surface.sd[3]


def test_gradient_of_the_likelihood_is_that_of_finite_differences(
    rng: np.random.Generator,
) -> None:
    means = ArmMeans.of_arms(observe(TWO, [9, 5, 8, 4, 6], 10))
    effects = _Effects(TWO, tuple(effect_subsets(2, 63)), means)
    at = np.log([0.02, 0.01, 0.005])
    error = check_grad(lambda x: effects._loss(x)[0], lambda x: effects._loss(x)[1], at)
    assert error < 1e-5


def test_draws_have_the_mean_and_the_deviation_of_the_surface(rng: np.random.Generator) -> None:
    surface = Shrinkage().fit(observe(TWO, [120, 100, 110, 90, 100], 200), rng)
    draws = surface.joint_draws
    assert draws is not None
    # 200 draws: the mean has a standard error of sd / 14, the deviation one of sd / 20.
    assert (np.abs(draws.mean(axis=0) - surface.mean) < 5 * surface.sd / 14).all()
    np.testing.assert_allclose(draws.std(axis=0), surface.sd, rtol=5 / 20)
