"""Pieces of the whitened form against plain linear algebra; the dense posterior is golden."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from accuracy_assay.numerics.paper.variational import (
    inverse_root,
    kl_from_prior,
    marginals,
    quadratic_form,
    whitened,
)
from accuracy_assay.runtime.device import put


def correlations(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return two well-conditioned correlation matrices (2, n, n)."""
    x = np.sort(rng.uniform(0.0, 4.0, n))
    squared = (x[:, None] - x) ** 2
    return np.stack([0.9 * np.exp(-squared / length) + 0.1 * np.eye(n) for length in (0.5, 2.0)])


def test_the_inverse_root_is_the_inverse_of_the_root(rng) -> None:
    R = np.tril(rng.normal(size=(2, 13, 13))) + 4.0 * np.eye(13)
    C = R @ R.swapaxes(1, 2)
    np.testing.assert_allclose(jax.jit(inverse_root)(C), np.linalg.inv(R), atol=1e-10)


def test_slopes_of_the_inverse_root_are_finite_differences(rng) -> None:
    C = put(correlations(rng, 4))

    @jax.jit
    def total(raw: jax.Array) -> jax.Array:
        return jnp.sin(inverse_root(0.5 * (raw + raw.swapaxes(1, 2)))).sum()

    check_grads(total, (C,), order=1, modes=("rev",), rtol=1e-5)


def test_a_quadratic_form_and_its_slopes_are_the_plain_ones(rng) -> None:
    M, C = rng.normal(size=(2, 5, 5)), rng.normal(size=(2, 5, 7))
    M = M + M.swapaxes(1, 2)
    np.testing.assert_allclose(
        jax.jit(quadratic_form)(M, C), np.einsum("lmb,lmk,lkb->lb", C, M, C)
    )

    @jax.jit
    def total(M: jax.Array, C: jax.Array) -> jax.Array:
        return jnp.sin(quadratic_form(0.5 * (M + M.swapaxes(1, 2)), C)).sum()

    check_grads(total, (put(M), put(C)), order=1, modes=("rev",), rtol=1e-5)


def test_q_equal_to_the_prior_gives_the_prior_and_no_divergence(rng) -> None:
    C = correlations(rng, 8)
    Cmm, Cmb = C[:, :5, :5], C[:, :5, 5:]
    mu, T = np.zeros((2, 5)), np.tile(np.eye(5), (2, 1, 1))
    s, m0 = np.array([1.7, 0.4]), np.array([0.3, -1.0])
    mean, variance = jax.jit(marginals)(Cmm, Cmb, s, 0.0, m0, mu, T)
    np.testing.assert_allclose(mean, np.repeat(m0[:, None], 3, axis=1))
    np.testing.assert_allclose(variance, np.repeat(s[:, None], 3, axis=1))
    assert float(jax.jit(kl_from_prior)(mu, T)) == pytest.approx(0.0)


def test_marginals_are_those_of_the_joint_normal(rng) -> None:
    C = correlations(rng, 8)
    Cmm, Cmb, Cbb = C[:, :5, :5], C[:, :5, 5:], C[:, 5:, 5:]
    mu, T = rng.normal(size=(2, 5)), np.tril(rng.normal(size=(2, 5, 5)))
    s, m0 = np.array([1.7, 0.4]), np.array([0.3, -1.0])
    mean, variance = jax.jit(marginals)(Cmm, Cmb, s, 0.0, m0, mu, T)
    for j in range(2):
        R = np.linalg.cholesky(Cmm[j])
        gain = np.linalg.solve(Cmm[j], Cmb[j]).T  # of inducing values, in units of sqrt(s)
        values, spread = R @ mu[j], R @ T[j] @ T[j].T @ R.T
        np.testing.assert_allclose(mean[j], m0[j] + np.sqrt(s[j]) * gain @ values)
        dense = Cbb[j] - gain @ Cmb[j] + gain @ spread @ gain.T
        np.testing.assert_allclose(variance[j], s[j] * np.diag(dense))


def test_whitened_correlations_have_the_explained_variance_as_their_square(rng) -> None:
    C = correlations(rng, 8)
    u = np.asarray(jax.jit(whitened)(C[:, :5, :5], C[:, :5, 5:], 0.0))
    for j in range(2):
        explained = C[j, 5:, :5] @ np.linalg.solve(C[j, :5, :5], C[j, :5, 5:])
        np.testing.assert_allclose(u[j].T @ u[j], explained)


def test_the_divergence_is_that_of_normal_distributions(rng) -> None:
    mu, T = rng.normal(size=(2, 4)), np.tril(rng.normal(size=(2, 4, 4)))
    expected = 0.0
    for j in range(2):
        S = T[j] @ T[j].T
        _, log_det = np.linalg.slogdet(S)
        expected += 0.5 * (np.trace(S) + mu[j] @ mu[j] - 4 - log_det)
    assert float(jax.jit(kl_from_prior)(mu, T)) == pytest.approx(expected)
