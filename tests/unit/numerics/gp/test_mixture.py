"""Labels of mixtures: slopes, the mode, padding, rows that are cells, and rows without order."""

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import as_labels, find_mode, log_z, mean_shift, some_kernel
from scipy.sparse import csr_array

from accuracy_assay.numerics.gp.mixture import (
    Mixtures,
    find_top,
    marginal_and_slopes,
    respond,
)
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.precision import precision

MU = 0.3


def some_mixtures(rng: np.random.Generator, R: int, J: int) -> Mixtures:
    """Return labels whose rows lie between a few of the cells."""
    n = rng.integers(1, 5, R).astype(float)
    P = rng.dirichlet(np.full(J, 0.4), size=R)
    P[P < 0.02] = 0.0
    return Mixtures(rng.random(R) * n, n, csr_array(P / P.sum(axis=1, keepdims=True)))


def marginal(K: FloatArray, labels: Mixtures) -> float:
    return marginal_and_slopes(K, MU, labels, np.zeros(K.shape[0]))[0]


@pytest.mark.parametrize("R", [5, 14])
def test_slopes_equal_finite_differences(rng: np.random.Generator, R: int) -> None:
    J, step = 9, 1e-5
    K, direction, labels = some_kernel(rng, J), some_kernel(rng, J), some_mixtures(rng, R, J)
    _, slope, _ = marginal_and_slopes(K, MU, labels, np.zeros(J))
    by_K = marginal(K + step * direction, labels) - marginal(K - step * direction, labels)
    assert by_K / (2 * step) == pytest.approx(float((slope * direction).sum()), rel=1e-5)


def test_rows_that_are_cells_equal_the_binomial(rng: np.random.Generator) -> None:
    J = 10
    K, n = some_kernel(rng, J), rng.integers(1, 6, J).astype(float)
    y = rng.random(J) * n
    with precision():
        exact = find_mode(jnp.asarray(K), jnp.asarray(MU), as_labels(y, n), jnp.zeros(J))
        z_exact = log_z(K, MU, as_labels(y, n))
        shift = mean_shift(jnp.asarray(K), as_labels(y, n), exact)
        top = find_top(K, MU, Mixtures(y, n, csr_array(np.eye(J))), np.zeros(J))
        mode, weights, _ = top.posterior()
    np.testing.assert_allclose(np.asarray(exact.eta), np.asarray(mode.eta), atol=1e-8)
    H_exact, H = np.asarray(exact.H), np.asarray(mode.H)
    np.testing.assert_allclose(H_exact.T @ H_exact, H.T @ H, atol=1e-8)
    np.testing.assert_allclose(np.asarray(weights), np.asarray(exact.g + shift), atol=1e-8)
    assert top.log_z == pytest.approx(z_exact, abs=1e-8)


def test_at_the_mode_labels_balance_the_prior_and_no_logit_moves_up(
    rng: np.random.Generator,
) -> None:
    J = 12
    K, labels = some_kernel(rng, J), some_mixtures(rng, 40, J)
    with precision():
        mode, *_ = find_top(K, MU, labels, np.zeros(J)).posterior()
    g, f = np.asarray(mode.g), np.asarray(mode.eta) - MU
    np.testing.assert_allclose(f, K @ g, atol=1e-7)

    def height(f: FloatArray) -> float:
        q = labels.P @ (1.0 / (1.0 + np.exp(-MU - f)))
        likelihood = labels.y @ np.log(q) + (labels.n - labels.y) @ np.log1p(-q)
        return float(likelihood - 0.5 * f @ np.linalg.solve(K, f))

    for _ in range(20):
        assert height(f + 1e-3 * rng.normal(size=J)) < height(f)


def test_padding_changes_nothing(rng: np.random.Generator) -> None:
    J, wide = 7, 12
    K, labels = some_kernel(rng, wide), some_mixtures(rng, 9, J)
    short = marginal_and_slopes(K[:J, :J], MU, labels, np.zeros(J))
    long = marginal_and_slopes(K, MU, labels, np.zeros(wide))
    assert short[0] == pytest.approx(long[0], abs=1e-12)
    assert long[1].shape == (wide, wide)
    assert not long[1][J:].any()
    with precision():
        mode, weights, _ = find_top(K, MU, labels, np.zeros(wide)).posterior()
    assert mode.H.shape[1] == wide
    assert not np.asarray(weights)[J:].any()


def test_a_bad_guess_does_not_spoil_the_mode(rng: np.random.Generator) -> None:
    J = 10
    K, labels = 30.0 * some_kernel(rng, J), some_mixtures(rng, 60, J)
    bad = rng.normal(size=J) * 40.0
    assert marginal_and_slopes(K, MU, labels, bad)[0] == pytest.approx(
        marginal(K, labels), abs=1e-6
    )


def test_fewer_rows_than_cells_leave_the_other_directions_to_the_prior(
    rng: np.random.Generator,
) -> None:
    J, R = 10, 3
    K, labels = some_kernel(rng, J), some_mixtures(rng, R, J)
    with precision():
        mode, *_ = find_top(K, MU, labels, np.zeros(J)).posterior()
    H = np.asarray(mode.H)
    assert np.linalg.matrix_rank(H, tol=1e-5) == R
    assert (np.linalg.eigvalsh(K - K @ H.T @ H @ K) > 0.0).all()


def test_other_labels_move_g_each_by_itself_and_the_same_ones_not_at_all(
    rng: np.random.Generator,
) -> None:
    J = 8
    K, labels = some_kernel(rng, J), some_mixtures(rng, 30, J)
    others = [labels, labels._replace(y=0.9 * labels.y), labels._replace(y=0.5 * labels.y)]
    with precision():
        mode, *_ = find_top(K, MU, labels, np.zeros(J)).posterior()
    together = respond(K, MU, labels, others, mode)
    alone = [respond(K, MU, labels, [other], mode)[:, 0] for other in others]
    np.testing.assert_allclose(together, np.stack(alone, axis=1), atol=1e-9)
    assert np.abs(together[:, 0]).max() < 1e-6
    found = find_top(K, MU, others[1], np.zeros(J)).g - np.asarray(mode.g)
    assert np.abs(together[:, 1] - found).max() < 0.1 * np.abs(found).max()
