"""Log-gamma and its differences against SciPy."""

import jax
import numpy as np
import pytest
from scipy.special import digamma, gammaln

from accuracy_assay.numerics.paper.rising import log_gamma, log_rising

X = np.array([1e-6, 1e-3, 0.4, 1.0, 7.3, 900.0])

compiled_rising = jax.jit(log_rising)
slopes_of_rising = jax.jit(jax.vmap(jax.grad(log_rising, argnums=(0, 1)), in_axes=(0, None)))


@pytest.mark.parametrize("c", [0.0, 1e-3, 0.37, 1.0, 17.5, 4000.0])
def test_log_rising_is_a_difference_of_log_gammas(c: float) -> None:
    found = compiled_rising(X, c)
    np.testing.assert_allclose(found, gammaln(X + c) - gammaln(X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("c", [0.37, 17.5])
def test_slopes_of_log_rising_are_differences_of_digammas(c: float) -> None:
    by_x, by_c = slopes_of_rising(X, c)
    np.testing.assert_allclose(by_x, digamma(X + c) - digamma(X), rtol=1e-7)
    np.testing.assert_allclose(by_c, digamma(X + c), rtol=1e-7)


def test_log_gamma_and_its_slope_are_scipys() -> None:
    x = np.append(X, 1e6)
    np.testing.assert_allclose(jax.jit(log_gamma)(x), gammaln(x), rtol=1e-9, atol=1e-9)
    slope = jax.jit(jax.vmap(jax.grad(log_gamma)))(x)
    np.testing.assert_allclose(slope, digamma(x), rtol=1e-8)


def test_nothing_is_infinite_at_zero() -> None:
    assert np.isfinite(float(compiled_rising(np.array([0.0]), 1.0)[0]))
    assert float(compiled_rising(np.array([0.0]), 0.0)[0]) == pytest.approx(0.0, abs=1e-15)


NARROW = np.array([1e-12, 1e-3, 0.4, 7.3, 1e4, 1e8], dtype=np.float32)


def test_in_float32_sums_over_millions_of_arms_stay_finite_and_true() -> None:
    x = NARROW.astype(float)
    found, slope = jax.jit(jax.vmap(jax.value_and_grad(log_gamma)))(NARROW)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, gammaln(x), rtol=2e-6)
    np.testing.assert_allclose(slope, digamma(x), rtol=2e-6)


@pytest.mark.parametrize("c", [0.37, 17.5, 1e7])
def test_in_float32_a_rise_keeps_its_digits_at_any_size(c: float) -> None:
    x, c = NARROW.astype(float), float(np.float32(c))
    by_x, by_c = slopes_of_rising(NARROW, np.float32(c))
    found = compiled_rising(NARROW, np.float32(c))
    assert found.dtype == by_x.dtype == np.float32
    np.testing.assert_allclose(found, gammaln(x + c) - gammaln(x), rtol=2e-5)
    np.testing.assert_allclose(by_x, digamma(x + c) - digamma(x), rtol=2e-5)
    np.testing.assert_allclose(by_c, digamma(x + c), rtol=2e-5, atol=2e-6)
