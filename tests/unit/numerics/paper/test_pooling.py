"""Pooling of sparse arms, by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from accuracy_assay.numerics.paper.pooling import Pooling, pool

V = np.array([[0.0], [1.0], [3.0], [3.5], [9.0], [0.0]])
N = np.array([1.0, 20.0, 8.0, 30.0, 2.0, 0.0])
C = np.array([1.0, 10.0, 2.0, 24.0, 0.0, 0.0])
IS_OBSERVED = np.arange(6) < 5

compiled = jax.jit(pool, static_argnums=0)


def pooled(how: Pooling) -> tuple[np.ndarray, np.ndarray]:
    n, c = compiled(
        how, *(jnp.asarray(a, jnp.float32) for a in (V, N, C)), jnp.asarray(IS_OBSERVED)
    )
    return np.asarray(n), np.asarray(c)


OTHERS = Pooling(n_neighbours=3, use_self=False)


def test_a_sparse_arm_gets_the_kernel_weighted_mean_of_itself_and_its_three_neighbours() -> None:
    n, c = pooled(Pooling())
    k = np.exp(-0.5 * np.array([0.0, 1.0, 3.0, 3.5]) ** 2)
    assert n[0] == pytest.approx(k @ N[:4] / k.sum(), rel=1e-5)
    assert c[0] == pytest.approx(k @ C[:4] / k.sum(), rel=1e-5)


def test_without_itself_an_arm_gets_the_mean_of_its_neighbours_alone() -> None:
    n, c = pooled(OTHERS)
    k = np.exp(-0.5 * np.array([1.0, 3.0, 3.5]) ** 2)
    assert n[0] == pytest.approx(k @ N[1:4] / k.sum(), rel=1e-5)
    assert c[0] == pytest.approx(k @ C[1:4] / k.sum(), rel=1e-5)


def test_far_neighbours_do_not_underflow() -> None:
    n, _ = pooled(OTHERS)
    k = np.exp(-0.5 * (np.array([5.5, 6.0, 8.0]) ** 2 - 5.5**2))
    assert n[4] == pytest.approx(k @ N[[3, 2, 1]] / k.sum(), rel=1e-4)


def test_arms_with_enough_observations_and_padding_are_left_alone() -> None:
    n, c = pooled(Pooling())
    np.testing.assert_array_equal(n[[1, 2, 3, 5]], N[[1, 2, 3, 5]])
    np.testing.assert_array_equal(c[[1, 2, 3, 5]], C[[1, 2, 3, 5]])


def test_the_research_codes_pooling_is_itself_and_two_at_a_third_each() -> None:
    n, c = pooled(Pooling(threshold=5.5, n_neighbours=2, use_kernel=False))
    assert n[0] == pytest.approx(N[[0, 1, 2]].mean(), rel=1e-6)
    assert c[4] == pytest.approx(C[[4, 3, 2]].mean(), rel=1e-6)


def test_an_arm_without_neighbours_keeps_its_counts() -> None:
    n, c = compiled(
        OTHERS, jnp.asarray(V[:2]), jnp.asarray(N[:2]), jnp.asarray(C[:2]), jnp.arange(2) < 1
    )
    np.testing.assert_allclose(n, N[:2])
    np.testing.assert_allclose(c, C[:2])


def test_some_rows_are_pooled_as_they_are_among_all() -> None:
    rows = jnp.array([4, 0, 0, 5])
    arrays = [jnp.asarray(a, jnp.float32) for a in (V, N, C)]
    some = compiled(Pooling(), *arrays, jnp.asarray(IS_OBSERVED), rows)
    for part, whole in zip(some, pooled(Pooling()), strict=True):
        np.testing.assert_array_equal(part, whole[np.asarray(rows)])
