"""Partition, moments, expected counts and the likeliest arms against enumeration of all arms."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint import arm_distribution as module
from accuracy_assay.numerics.joint.arm_distribution import (
    expected_counts,
    joint_moments,
    log_partition,
    split_factors,
    split_point,
    top_joint,
)


def test_partition_and_expected_counts_equal_brute_force(case) -> None:
    np.testing.assert_allclose(log_partition(case.factors, case.N), case.log_z)
    np.testing.assert_allclose(expected_counts(case.factors, case.N), case.posterior.sum(axis=0))


def test_arms_are_counted_some_rows_at_a_time(case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_COUNTED_ROWS", 7)
    np.testing.assert_allclose(expected_counts(case.factors, case.N), case.posterior.sum(axis=0))


@pytest.mark.parametrize("max_dropped", [0.0, 0.01, 0.2])
def test_as_few_arms_are_listed_as_hold_the_mass(case, max_dropped: float) -> None:
    owner, index, weights = top_joint(case.factors, case.N, max_dropped)
    P = case.posterior
    np.testing.assert_allclose(weights, P[owner, index])
    falling = np.sort(P, axis=1)[:, ::-1]
    enough = (np.cumsum(falling, axis=1) < 1.0 - max_dropped - 1e-6).sum(axis=1) + 1
    listed = np.bincount(owner, minlength=case.n_rows)
    assert np.bincount(owner, weights).min() >= 1.0 - max_dropped - 1e-12
    if max_dropped:
        np.testing.assert_array_equal(listed, enough)
    else:
        np.testing.assert_array_equal(listed, case.n_arms)


def test_pieces_do_not_change_the_result(case, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = top_joint(case.factors, case.N, 0.05)
    monkeypatch.setattr(module, "_PIECE", 1)
    monkeypatch.setattr(module, "_LEAST_ROWS", 3)
    for part, all_of_it in zip(top_joint(case.factors, case.N, 0.05), whole, strict=True):
        np.testing.assert_allclose(part, all_of_it)


def test_an_impossible_value_is_never_listed(case) -> None:
    factors = [factor.copy() for factor in case.factors]
    factors[1][:, 2] = 0.0
    _, index, _ = top_joint(factors, case.N, 0.0)
    assert (case.codes[index, 1] != 2).all()


@pytest.mark.parametrize("shape", [(2, 3, 2, 4), (48,), (2,) * 9, (100, 2, 2)])
def test_the_split_has_the_fewest_heads_and_tails_together(shape: tuple[int, ...]) -> None:
    def size(j: int) -> int:
        return int(np.prod(shape[:j]) + np.prod(shape[j:]))

    assert size(split_point(shape)) == min(size(j) for j in range(len(shape) + 1))


def test_heads_and_tails_multiply_to_all_products(case) -> None:
    head, tail, table = split_factors(case.factors, case.N)
    products = np.einsum("ih,il->ihl", head, tail) * table
    np.testing.assert_allclose(
        products.reshape(case.n_rows, -1), np.exp(case.scores(case.s, case.N))
    )


def test_moments_equal_brute_force(case) -> None:
    found, P = joint_moments(case.factors, case.N), case.posterior
    np.testing.assert_allclose(found.log_z, case.log_z)
    np.testing.assert_allclose(found.arms, P.sum(axis=0))
    for k, size in enumerate(case.shape):
        np.testing.assert_allclose(found.values[k], P @ np.eye(size)[case.codes[:, k]])


def test_a_constant_in_the_potential_moves_log_z_alone(case) -> None:
    one, two = joint_moments(case.factors, case.N), joint_moments(case.factors, case.N + 700.0)
    np.testing.assert_allclose(two.log_z, one.log_z + 700.0)
    np.testing.assert_allclose(two.arms, one.arms)
