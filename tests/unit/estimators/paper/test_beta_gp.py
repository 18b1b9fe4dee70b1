"""BetaGP: an accuracy is a draw of a Beta with smooth mean and scale."""

import numpy as np
from scipy.special import expit

from accuracy_assay.estimators.paper.bern_gp import BernGP
from accuracy_assay.estimators.paper.beta_gp import BetaGP


def test_draws_have_the_moments_and_quantiles(check_rates) -> None:
    check_rates(BetaGP())


def test_the_mean_is_bern_gps_and_the_spread_is_larger() -> None:
    mean, variance = np.array([[0.7], [1.0]]), np.array([[0.5], [0.3]])
    ours, spread = BetaGP().moments(mean, variance)
    theirs, less = BernGP().moments(mean[:1], variance[:1])
    np.testing.assert_allclose(ours, theirs)
    assert spread[0] > less[0]


def test_the_mean_is_the_texts_sigmoid_of_f(rng: np.random.Generator) -> None:
    assert BetaGP().model().link == (1.0, 0.0)
    sharp = np.array([[[1.3]], [[1e6]]])  # a scale so large that a draw is its mean
    np.testing.assert_allclose(BetaGP().rates(sharp, rng), expit(1.3), atol=0.01)
