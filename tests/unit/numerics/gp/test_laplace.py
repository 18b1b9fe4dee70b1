"""The Laplace approximation: slopes, padding, guesses, and cells without labels."""

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import as_labels, find_mode, log_z, marginal_and_slopes, some_kernel

from accuracy_assay.runtime.precision import precision


def test_slopes_equal_finite_differences(rng: np.random.Generator) -> None:
    J = 9
    K = some_kernel(rng, J)
    n = rng.integers(1, 5, J).astype(float)
    y = rng.random(J) * n
    direction = some_kernel(rng, J)
    step = 1e-5
    with precision():
        labels = as_labels(y, n)
        mode = find_mode(jnp.asarray(K), jnp.asarray(0.3), labels, jnp.zeros(J))
        _, slope_K = marginal_and_slopes(jnp.asarray(K), jnp.asarray(0.3), labels, mode)
        by_K = log_z(K + step * direction, 0.3, labels) - log_z(K - step * direction, 0.3, labels)
    assert by_K / (2 * step) == pytest.approx(
        float((np.asarray(slope_K) * direction).sum()), rel=1e-5
    )


def test_padding_changes_nothing(rng: np.random.Generator) -> None:
    J, wide = 7, 12
    K, n = some_kernel(rng, wide), rng.integers(1, 6, J).astype(float)
    y = rng.random(J) * n
    padded = [np.pad(part, (0, wide - J)) for part in (y, n)]
    with precision():
        short, long = log_z(K[:J, :J], 0.2, as_labels(y, n)), log_z(K, 0.2, as_labels(*padded))
    assert short == pytest.approx(long, abs=1e-9)


def test_a_bad_guess_does_not_spoil_the_mode(rng: np.random.Generator) -> None:
    J = 10
    K, n = 30.0 * some_kernel(rng, J), np.full(J, 50.0)
    y = rng.random(J) * n
    with precision():
        labels = as_labels(y, n)
        good = find_mode(jnp.asarray(K), jnp.asarray(1.0), labels, jnp.zeros(J))
        bad = jnp.asarray(rng.normal(size=J) * 40.0)
        from_bad = find_mode(jnp.asarray(K), jnp.asarray(1.0), labels, bad)
    np.testing.assert_allclose(np.asarray(good.eta), np.asarray(from_bad.eta), atol=1e-6)


def test_the_mode_balances_labels_against_the_prior(rng: np.random.Generator) -> None:
    J = 10
    K, n = some_kernel(rng, J), rng.integers(0, 6, J).astype(float)
    y = rng.random(J) * n
    with precision():
        mode = find_mode(jnp.asarray(K), jnp.asarray(0.5), as_labels(y, n), jnp.zeros(J))
    f, rho = np.asarray(mode.eta) - 0.5, 1.0 / (1.0 + np.exp(-np.asarray(mode.eta)))
    np.testing.assert_allclose(np.asarray(mode.g), y - n * rho, atol=1e-10)
    np.testing.assert_allclose(f, K @ np.asarray(mode.g), atol=1e-7)


def test_without_labels_the_posterior_is_the_prior(rng: np.random.Generator) -> None:
    J = 10
    K = some_kernel(rng, J)
    with precision():
        labels = as_labels(np.zeros(J), np.zeros(J))
        mode = find_mode(jnp.asarray(K), jnp.asarray(0.5), labels, jnp.zeros(J))
        z = log_z(K, 0.5, labels)
    np.testing.assert_allclose(np.asarray(mode.eta), 0.5)
    np.testing.assert_allclose(np.asarray(mode.H), 0.0, atol=1e-12)
    assert z == pytest.approx(0.0, abs=1e-12)
