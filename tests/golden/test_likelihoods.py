"""Expected likelihoods, posterior moments and quantiles against integrals over f and g."""

from collections.abc import Callable, Iterator

import jax
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betainc, betaln, expit
from scipy.stats import norm

from accuracy_assay.numerics.paper.beta_mixture import Parameters, mixture_quantiles
from accuracy_assay.numerics.paper.beta_moments import (
    alpha_beta_moments,
    bernoulli_moments,
    mean_scale_moments,
)
from accuracy_assay.numerics.paper.likelihoods import LIKELIHOODS
from accuracy_assay.numerics.paper.svgp import Model
from accuracy_assay.runtime.precision import precision

Rate = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]

MEAN = np.array([[-1.0, 0.3, 2.0, 4.0], [0.5, 2.0, -1.0, 6.0]])
VARIANCE = np.array([[0.8, 0.05, 0.5, 1.5], [0.4, 0.9, 0.3, 0.2]])
LABELS = np.array([0.1, 3.7, 12.0, 60.0])
CORRECT = np.array([0.08, 1.2, 11.0, 58.5])


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    with precision("float64"):
        yield


def softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, x)


def mean_scale(f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return expit(f) * softplus(g), expit(-f) * softplus(g)


def alpha_beta(f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return softplus(f), softplus(g)


def integrate(arm: int, function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> float:
    """Return E[function(f, g)] at an arm on a grid of nine standard deviations either way."""
    grid = np.linspace(-9.0, 9.0, 301)
    weight = norm.pdf(grid)
    weight /= weight.sum()
    f, g = (MEAN[k, arm] + np.sqrt(VARIANCE[k, arm]) * grid for k in (0, 1))
    return float(weight @ function(f[:, None], g[None, :]) @ weight)


def brute_force(name: str) -> np.ndarray:
    rate: Rate = alpha_beta if name == "beta_alpha_beta" else mean_scale

    def log_likelihood(f: np.ndarray, g: np.ndarray, n: float, c: float) -> np.ndarray:
        if name == "bernoulli":
            return -c * softplus(-f) - (n - c) * softplus(f) + 0.0 * g
        alpha, beta = rate(f, g)
        return betaln(alpha + c, beta + n - c) - betaln(alpha, beta)

    return np.array(
        [
            integrate(arm, lambda f, g, n=n, c=c: log_likelihood(f, g, n, c))
            for arm, (n, c) in enumerate(zip(LABELS, CORRECT, strict=True))
        ]
    )


@pytest.mark.parametrize("name", list(LIKELIHOODS))
def test_expected_log_likelihood_is_the_integral(name: str) -> None:
    expected = brute_force(name)
    expectation = jax.jit(LIKELIHOODS[name], static_argnums=4)
    fine = expectation(MEAN, VARIANCE, LABELS, CORRECT, (40, 40))
    np.testing.assert_allclose(fine, expected, rtol=1e-5)
    coarse = expectation(MEAN, VARIANCE, LABELS, CORRECT, Model().nodes)
    np.testing.assert_allclose(coarse, expected, rtol=2e-3)


@pytest.mark.parametrize(
    ("moments", "rate"), [(mean_scale_moments, mean_scale), (alpha_beta_moments, alpha_beta)]
)
def test_mean_and_total_variance_are_the_integrals(
    moments: Callable[..., tuple[np.ndarray, np.ndarray]], rate: Rate
) -> None:
    mean, variance = moments(MEAN, VARIANCE)

    def first(f: np.ndarray, g: np.ndarray) -> np.ndarray:
        alpha, beta = rate(f, g)
        return alpha / (alpha + beta)

    def second(f: np.ndarray, g: np.ndarray) -> np.ndarray:
        alpha, beta = rate(f, g)
        return alpha * (alpha + 1.0) / ((alpha + beta) * (alpha + beta + 1.0))

    expected = np.array([integrate(arm, first) for arm in range(4)])
    np.testing.assert_allclose(mean, expected, rtol=1e-5)
    square = np.array([integrate(arm, second) for arm in range(4)])
    np.testing.assert_allclose(variance, square - expected**2, rtol=1e-4)


def test_bernoulli_moments_are_the_integrals() -> None:
    mean, variance = bernoulli_moments(MEAN[:1], VARIANCE[:1])
    expected = np.array([integrate(a, lambda f, g: expit(f) + 0.0 * g) for a in range(4)])
    square = np.array([integrate(a, lambda f, g: expit(f) ** 2 + 0.0 * g) for a in range(4)])
    np.testing.assert_allclose(mean, expected, rtol=1e-6)
    np.testing.assert_allclose(variance, square - expected**2, rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "rate"), [("mean_scale", mean_scale), ("alpha_beta", alpha_beta)]
)
def test_quantiles_mix_the_betas(name: Parameters, rate: Rate) -> None:
    levels = (0.05, 0.5, 0.95)
    found = mixture_quantiles(name, MEAN, VARIANCE, levels)
    for arm in range(4):
        for row, level in zip(found, levels, strict=True):
            assert row[arm] == pytest.approx(quantile(arm, rate, level), abs=5e-3)


def quantile(arm: int, rate: Rate, level: float) -> float:
    """Return the root of the mixed distribution function, or an end where it lies beyond."""
    grid = np.linspace(-6.0, 6.0, 61)
    weight = norm.pdf(grid) / norm.pdf(grid).sum()
    f, g = (MEAN[k, arm] + np.sqrt(VARIANCE[k, arm]) * grid for k in (0, 1))
    alpha, beta = rate(f[:, None], g[None, :])

    def excess(r: float) -> float:
        return float(weight @ betainc(alpha, beta, r) @ weight) - level

    low, high = 1e-9, 1.0 - 1e-9
    if excess(low) > 0.0 or excess(high) < 0.0:
        return low if excess(low) > 0.0 else high
    return float(brentq(excess, low, high, xtol=1e-6))
