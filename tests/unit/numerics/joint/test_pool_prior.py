"""The joint prior that the evidence of a pool suggests."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint.pool_prior import base_rates, log_product, pool_prior


def test_a_pool_tells_more_of_the_joint_than_counts_of_predicted_values(rng) -> None:
    truth = np.array([[0.4, 0.1], [0.1, 0.4]])
    arm = rng.choice(4, 20_000, p=truth.reshape(-1))
    codes = np.stack(np.divmod(arm, 2), axis=1)
    # Honest predictors that are right in 85 % of the cases.
    seen = np.where(rng.random(codes.shape) < 0.85, codes, 1 - codes)
    factors = [np.where(np.arange(2) == seen[:, [k]], 1.0, 0.15 / 0.85) for k in range(2)]
    found = pool_prior(factors, base_rates(factors)).reshape(2, 2)
    naive = np.bincount(seen[:, 0] * 2 + seen[:, 1], minlength=4).reshape(2, 2) / 20_000
    assert np.abs(found - truth).max() < np.abs(naive - truth).max()


def test_sure_predictors_give_their_own_frequencies_but_for_the_tenth_that_stays_apart() -> None:
    codes = np.repeat([[0, 0], [1, 1]], [30, 10], axis=0)
    factors = [np.where(np.arange(2) == codes[:, [k]], 1.0, 0.0) for k in range(2)]
    found = pool_prior(factors, base_rates(factors)).reshape(2, 2)
    apart = np.outer([0.75, 0.25], [0.75, 0.25])
    np.testing.assert_allclose(found, 0.9 * np.diag([0.75, 0.25]) + 0.1 * apart, atol=1e-3)


def test_base_rates_are_means_of_what_is_said_and_never_zero() -> None:
    factors = [np.array([[1.0, 0.25, 0.0], [1.0, 1.0, 0.0]])]
    (rate,) = base_rates(factors)
    assert rate.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(rate[:2], [0.65, 0.35], rtol=1e-3)
    assert 0.0 < rate[2] < 1e-4


def test_the_product_of_tables_runs_fastest_over_the_last(rng) -> None:
    tables = [rng.dirichlet(np.ones(size)) for size in (2, 3, 2)]
    expected = np.einsum("i,j,k->ijk", *tables).reshape(-1)
    np.testing.assert_allclose(np.exp(log_product(tables)), expected)
