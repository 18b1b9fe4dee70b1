"""Supervision of the scale by the counts, against SciPy's densities."""

import jax
import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import dirichlet, gamma

from accuracy_assay.numerics.paper.scale import (
    GivenScale,
    dirichlet_log_density,
    expected_dirichlet,
    expected_gamma,
    given_latents,
)

compiled_density = jax.jit(dirichlet_log_density)
compiled_dirichlet = jax.jit(expected_dirichlet, static_argnums=5)
compiled_gamma = jax.jit(expected_gamma, static_argnums=(4, 5))


def softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, x)


def test_dirichlet_is_scipys() -> None:
    psi, n = np.array([0.4, 2.0, 11.0, 3.0]), np.array([0.1, 5.0, 30.0, 2.5])
    expected = dirichlet(psi).logpdf(n / n.sum())
    assert float(compiled_density(psi, n)) == pytest.approx(expected, rel=1e-10)


def test_expected_dirichlet_of_a_certain_scale_is_the_dirichlet() -> None:
    g, n = np.array([-0.5, 1.5, 11.0, 3.0]), np.array([0.1, 5.0, 30.0, 2.5])
    sure, ones = np.full(4, 1e-12), np.ones(4)
    found = compiled_dirichlet(g, sure, n, ones, n.sum(), 4)
    expected = dirichlet(softplus(g)).logpdf(n / n.sum())
    assert float(found) == pytest.approx(expected, rel=1e-6)


def test_expected_dirichlet_is_a_lower_bound(rng: np.random.Generator) -> None:
    g, n = np.array([-0.5, 1.5, 4.0]), np.array([0.1, 5.0, 30.0])
    variance, n_draws = np.array([0.5, 0.8, 0.3]), 20_000
    draws = softplus(g + np.sqrt(variance) * rng.standard_normal((n_draws, 3)))
    logs = gammaln(draws.sum(1)) + ((draws - 1.0) * np.log(n / n.sum()) - gammaln(draws)).sum(1)
    found = compiled_dirichlet(g, variance, n, np.ones(3), n.sum(), 20)
    error = logs.std() / np.sqrt(n_draws)
    assert float(found) < logs.mean() + 4.0 * error
    assert float(found) > logs.mean() - 1.0


def test_without_an_observation_the_dirichlet_says_nothing() -> None:
    g, nothing = np.array([1.0, -1.0]), np.zeros(2)
    slope = jax.jit(jax.grad(expected_dirichlet), static_argnums=5)(
        g, np.full(2, 0.3), nothing, nothing, 0.0, 4
    )
    np.testing.assert_array_equal(slope, 0.0)


def test_rows_that_stand_for_many_arms_count_that_often() -> None:
    g, variance, n = np.array([1.0, -1.0]), np.array([0.3, 0.4]), np.array([8.0, 0.1])
    total = 8.3
    many = [np.repeat(a, [1, 3]) for a in (g, variance, n)]
    folded = compiled_dirichlet(g, variance, n, np.array([1.0, 3.0]), total, 8)
    spread = compiled_dirichlet(*many, np.ones(4), total, 8)
    assert float(folded) == pytest.approx(float(spread))


def test_expected_gamma_of_a_certain_scale_is_scipys() -> None:
    g, n = np.array([-0.5, 1.5, 11.0]), np.array([0.001, 5.0, 30.0])
    found = compiled_gamma(g, np.full(3, 1e-12), n, np.ones(3), (0.01, 10.0), 4)
    expected = gamma(softplus(g)).logpdf(np.clip(n, 0.01, 10.0)).sum()
    assert float(found) == pytest.approx(expected, rel=1e-6)


def test_given_scales_are_the_level_or_in_proportion_to_the_counts() -> None:
    n = np.array([0.1, 5.0, 300.0])
    given = jax.jit(given_latents, static_argnums=0)
    np.testing.assert_allclose(softplus(given(GivenScale("constant", 7.0), n, 2.0)), 7.0)
    np.testing.assert_allclose(softplus(given(GivenScale("share", 4.0), n, 2.0)), 2.0 * n)


def test_an_arm_without_a_count_has_a_scale_all_the_same() -> None:
    found = jax.jit(given_latents, static_argnums=0)(GivenScale("share", 1.0), np.zeros(2), 1.0)
    assert np.isfinite(found).all()
