"""Mean and variance of rho where they are known in closed form; the integrals are golden."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta

from accuracy_assay.numerics.paper.beta_moments import (
    alpha_beta_moments,
    bernoulli_moments,
    mean_scale_moments,
    softplus,
)

MEAN = np.array([[-1.0, 0.3, 2.0], [0.5, 2.0, -1.0]])
SURE = np.zeros_like(MEAN)
UNSURE = np.array([[0.8, 0.05, 0.5], [0.4, 0.9, 0.3]])


def test_certain_parameters_have_the_moments_of_their_beta() -> None:
    phi, psi = expit(MEAN[0]), softplus(MEAN[1])
    for moments, law in (
        (mean_scale_moments, beta(phi * psi, (1.0 - phi) * psi)),
        (alpha_beta_moments, beta(softplus(MEAN[0]), softplus(MEAN[1]))),
    ):
        mean, variance = moments(MEAN, SURE)
        np.testing.assert_allclose(mean, law.mean())
        np.testing.assert_allclose(variance, law.var())


def test_a_certain_coin_has_no_variance() -> None:
    mean, variance = bernoulli_moments(MEAN, SURE)
    np.testing.assert_allclose(mean, expit(MEAN[0]))
    np.testing.assert_allclose(variance, 0.0, atol=1e-15)


def test_right_and_wrong_change_places_with_the_sign_of_f() -> None:
    mirrored = MEAN * np.array([[-1.0], [1.0]])
    mean, variance = mean_scale_moments(MEAN, UNSURE)
    other_mean, other_variance = mean_scale_moments(mirrored, UNSURE)
    np.testing.assert_allclose(other_mean, 1.0 - mean)
    np.testing.assert_allclose(other_variance, variance)


def test_right_and_wrong_change_places_with_alpha_and_beta() -> None:
    mean, variance = alpha_beta_moments(MEAN, UNSURE)
    other_mean, other_variance = alpha_beta_moments(MEAN[::-1], UNSURE[::-1])
    np.testing.assert_allclose(other_mean, 1.0 - mean)
    np.testing.assert_allclose(other_variance, variance)


def test_a_large_scale_leaves_the_variance_of_the_mean_alone() -> None:
    wide = np.array([MEAN[0], np.full(3, 1e9)])
    _, of_phi = bernoulli_moments(MEAN, UNSURE)
    _, variance = mean_scale_moments(wide, UNSURE)
    np.testing.assert_allclose(variance, of_phi, rtol=1e-6)


def test_softplus_is_never_zero() -> None:
    assert softplus(np.array([-1e4]))[0] > 0.0
    assert softplus(np.array([50.0]))[0] == pytest.approx(50.0)
