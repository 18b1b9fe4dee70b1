"""Log-likelihoods of counts against SciPy, and what is expected of certain latent values."""

import jax
import numpy as np
import pytest
from scipy.special import betaln, comb, expit
from scipy.stats import betabinom, binom

from accuracy_assay.numerics.paper.likelihoods import LIKELIHOODS, beta_binomial

LABELS = np.array([0.1, 3.7, 12.0, 60.0])
CORRECT = np.array([0.08, 1.2, 11.0, 58.5])
MEAN = np.array([[-1.0, 0.3, 2.0, 4.0], [0.5, 2.0, -1.0, 6.0]])

compiled_beta_binomial = jax.jit(beta_binomial)


def softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, x)


def test_beta_binomial_is_scipys_without_the_coefficient() -> None:
    n, c = np.array([1, 5, 30, 400]), np.array([1, 0, 13, 399])
    alpha, beta = np.array([0.2, 3.0, 8.0, 50.0]), np.array([0.7, 1.0, 9.0, 2.0])
    expected = betabinom(n, alpha, beta).logpmf(c) - np.log(comb(n, c))
    np.testing.assert_allclose(compiled_beta_binomial(alpha, beta, n, c), expected, rtol=1e-8)


def test_beta_binomial_takes_fractional_counts() -> None:
    alpha, beta = np.array([0.2, 3.0, 8.0, 50.0]), np.array([0.7, 1.0, 9.0, 2.0])
    expected = betaln(alpha + CORRECT, beta + LABELS - CORRECT) - betaln(alpha, beta)
    np.testing.assert_allclose(
        compiled_beta_binomial(alpha, beta, LABELS, CORRECT), expected, rtol=1e-8
    )


def certain(name: str, n: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return the expectation under latent values without variance."""
    expectation = jax.jit(LIKELIHOODS[name], static_argnums=4)
    return np.asarray(expectation(MEAN, np.full_like(MEAN, 1e-14), n, c, (6, 4)))


def test_certain_latent_values_have_the_likelihood_itself() -> None:
    n, c = LABELS, CORRECT
    f, g = MEAN
    phi, psi = expit(f), softplus(g)
    coins = c * np.log(phi) + (n - c) * np.log1p(-phi)
    np.testing.assert_allclose(certain("bernoulli", n, c), coins, rtol=1e-6)
    for name, alpha, beta in (
        ("beta_mean_scale", phi * psi, (1.0 - phi) * psi),
        ("beta_alpha_beta", softplus(f), softplus(g)),
    ):
        expected = betaln(alpha + c, beta + n - c) - betaln(alpha, beta)
        np.testing.assert_allclose(certain(name, n, c), expected, rtol=1e-5)


def test_bernoulli_is_scipys_binomial_without_the_coefficient() -> None:
    n, c = np.array([1.0, 5.0, 30.0, 400.0]), np.array([1.0, 0.0, 13.0, 399.0])
    expected = binom(n, expit(MEAN[0])).logpmf(c) - np.log(comb(n, c))
    np.testing.assert_allclose(certain("bernoulli", n, c), expected, rtol=1e-6)


@pytest.mark.parametrize("name", list(LIKELIHOODS))
def test_no_label_says_nothing(name: str) -> None:
    np.testing.assert_allclose(certain(name, np.zeros(4), np.zeros(4)), 0.0, atol=1e-9)
