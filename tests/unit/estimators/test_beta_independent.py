"""Each arm alone: the conjugate posterior, by hand."""

import numpy as np
import pytest
from scipy.stats import beta

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.beta_independent import BetaIndependent

SPACE = AttributeSpace((Attribute("a", (0, 1, 2)),))
SUPPORT = Support.count(SPACE, None, [0, 1, 2])


def observe(arms: list[int], scores: list[float], prior: float = 0.1) -> Observations:
    return Observations.from_instances(SUPPORT, Affiliation.exact(arms), scores, prior)


def test_mean_and_deviation_are_those_of_the_conjugate_beta(rng: np.random.Generator) -> None:
    seen = observe([0, 0, 0, 1], [1, 1, 0, 1], prior=2.0)
    surface = BetaIndependent().fit(seen, rng)
    # Overall accuracy 3/4, so the prior of each arm is Beta(1.5, 0.5).
    for arm, (a, b) in enumerate([(3.5, 1.5), (2.5, 0.5)]):
        posterior = beta(a, b)
        assert surface.mean[arm] == pytest.approx(posterior.mean())
        assert surface.sd[arm] == pytest.approx(posterior.std())


def test_intervals_are_those_of_jeffreys_stretched_to_hold_the_mean(
    rng: np.random.Generator,
) -> None:
    surface = BetaIndependent().fit(observe([0, 0, 0, 1], [1, 1, 0, 1]), rng)
    assert (surface.lower[0], surface.upper[0]) == pytest.approx(beta(2.5, 1.5).interval(0.9))
    lower, upper = beta(1.5, 0.5).interval(0.9)
    assert (surface.lower[1], surface.upper[1]) == pytest.approx((lower, upper), abs=0.03)
    assert surface.upper[1] >= surface.mean[1]


def test_one_right_label_is_far_from_proof(rng: np.random.Generator) -> None:
    surface = BetaIndependent().fit(observe([0, 1], [1, 1]), rng)
    assert surface.mean[0] == pytest.approx(1.0)
    assert surface.lower[0] < 0.3
    assert surface.at(a=0).lower < 0.3
    assert surface.overall.lower < 0.8  # an average of arms says so too
    assert surface.to_frame().get_column("status")[0] == "rests mostly on arms like it"


def test_intervals_cover_about_as_often_as_they_say(rng: np.random.Generator) -> None:
    space = AttributeSpace((Attribute("a", tuple(range(4000))),))
    arms = np.arange(4000)
    truth = rng.uniform(0.05, 0.95, 4000)
    for n in (2, 8):
        scores = (rng.random((n, 4000)) < truth).astype(float).reshape(-1)
        support = Support.count(space, None, arms)
        seen = Observations.from_instances(support, Affiliation.exact(np.tile(arms, n)), scores)
        surface = BetaIndependent().fit(seen, rng)
        covered = np.mean((surface.lower <= truth) & (truth <= surface.upper))
        assert 0.87 < covered < 0.97  # the standard error of the share is 0.005


def test_mean_lies_between_prior_and_observed_rate(rng: np.random.Generator) -> None:
    surface = BetaIndependent().fit(observe([0, 0, 1, 1], [1, 1, 0, 0]), rng)
    assert 0.5 < surface.mean[0] < 1.0
    assert 0.0 < surface.mean[1] < 0.5
    assert surface.mean[2] == pytest.approx(0.5)


def test_an_arm_without_labels_may_be_anything(rng: np.random.Generator) -> None:
    surface = BetaIndependent().fit(observe([0] * 100, [1.0] * 99 + [0.0]), rng)
    assert surface.mean[2] == pytest.approx(0.99)
    assert (surface.lower[2], surface.upper[2]) == (0.0, 1.0)
    assert surface.to_frame().get_column("status")[2] == "rests mostly on arms like it"


def test_every_interval_holds_its_mean_even_under_the_weakest_prior(
    rng: np.random.Generator,
) -> None:
    for prior in (0.0, 1e-6, 0.1):
        surface = BetaIndependent().fit(observe([0, 1, 1], [1, 1, 0], prior), rng)
        assert (surface.lower <= surface.mean).all()
        assert (surface.mean <= surface.upper).all()


def test_fractional_counts_are_used_as_they_are(rng: np.random.Generator) -> None:
    rows = Affiliation(np.array([0, 2]), np.array([0, 1]), np.array([0.25, 0.75]))
    seen = Observations.from_instances(SUPPORT, rows, [1.0])
    surface = BetaIndependent().fit(seen, rng)
    np.testing.assert_allclose(surface.n, [0.25, 0.75, 0.0])
    np.testing.assert_allclose(surface.correct, [0.25, 0.75, 0.0])


def test_another_level_gives_another_interval(rng: np.random.Generator) -> None:
    seen = observe([0] * 10, [1, 0] * 5)
    half, most = (BetaIndependent(level=q).fit(seen, rng) for q in (0.5, 0.99))
    assert half.level == 0.5
    assert half.upper[0] < most.upper[0]
    assert half.lower[0] > most.lower[0]
