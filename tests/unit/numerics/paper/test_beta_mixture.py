"""Quantiles and draws of rho where the Beta is certain; mixtures are golden."""

import numpy as np
import pytest
from scipy.stats import beta

from accuracy_assay.numerics.paper import beta_mixture
from accuracy_assay.numerics.paper.beta_mixture import (
    Parameters,
    mixture_draws,
    mixture_quantiles,
)

SURE = np.full((2, 3), 1e-8)
LEVELS = (0.05, 0.5, 0.95)


def inverse_softplus(x: list[float]) -> np.ndarray:
    return np.log(np.expm1(x))


def test_certain_parameters_have_the_quantiles_of_their_beta() -> None:
    phi, psi = np.array([0.3, 0.8, 0.5]), [3.0, 20.0, 400.0]
    mean = np.stack([np.log(phi / (1.0 - phi)), inverse_softplus(psi)])
    found = mixture_quantiles("mean_scale", mean, SURE, LEVELS)
    for row, level in zip(found, LEVELS, strict=True):
        expected = beta(phi * psi, (1.0 - phi) * psi).ppf(level)
        np.testing.assert_allclose(row, expected, atol=1e-2)
    alpha, b = [0.8, 5.0, 60.0], [2.0, 5.0, 20.0]
    mean = np.stack([inverse_softplus(alpha), inverse_softplus(b)])
    found = mixture_quantiles("alpha_beta", mean, SURE, LEVELS)
    for row, level in zip(found, LEVELS, strict=True):
        np.testing.assert_allclose(row, beta(alpha, b).ppf(level), atol=1e-2)


@pytest.mark.parametrize("parameters", ["mean_scale", "alpha_beta"])
def test_quantiles_rise_with_the_level_and_stay_rates(parameters: Parameters, rng) -> None:
    mean, variance = rng.normal(0, 3, (2, 50)), rng.uniform(0.01, 2.0, (2, 50))
    found = mixture_quantiles(parameters, mean, variance, (0.01, 0.2, 0.5, 0.8, 0.99))
    assert (np.diff(found, axis=0) >= 0.0).all()
    assert (found >= 0.0).all()
    assert (found <= 1.0).all()


def test_many_arms_have_the_quantiles_of_each_alone(rng) -> None:
    mean, variance = rng.normal(0, 1, (2, 1100)), rng.uniform(0.1, 1.0, (2, 1100))
    together = mixture_quantiles("mean_scale", mean, variance, (0.5,))
    at = [3, 1030, 1099]
    alone = mixture_quantiles("mean_scale", mean[:, at], variance[:, at], (0.5,))
    np.testing.assert_allclose(together[:, at], alone, rtol=1e-5)


def test_an_accelerator_finds_the_same_quantiles(rng, monkeypatch: pytest.MonkeyPatch) -> None:
    mean, variance = rng.normal(0, 1, (2, 70)), rng.uniform(0.1, 1.0, (2, 70))
    here = mixture_quantiles("mean_scale", mean, variance, LEVELS)
    monkeypatch.setattr(beta_mixture, "has_accelerator", lambda: True)
    there = mixture_quantiles("mean_scale", mean, variance, LEVELS)
    np.testing.assert_allclose(there, here, atol=1e-6)


def test_draws_have_the_mean_and_the_deviation_of_their_beta(rng) -> None:
    n_draws = 20_000
    draws = mixture_draws(np.full(n_draws, 3.0), np.full(n_draws, 1.5), rng)
    law = beta(3.0, 1.5)
    # Four standard errors.
    assert abs(draws.mean() - law.mean()) < 4.0 * law.std() / np.sqrt(n_draws)
    assert draws.std() == pytest.approx(law.std(), rel=4.0 / np.sqrt(2.0 * n_draws))


def test_parameters_that_underflow_are_drawn_as_coins(rng) -> None:
    draws = mixture_draws(np.zeros(200), np.zeros(200), rng)
    assert np.isfinite(draws).all()
    assert np.minimum(draws, 1.0 - draws).max() < 1e-6
