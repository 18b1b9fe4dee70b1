"""Joint priors: from gold rows, from a pool, and the trust that gold rows put in both."""

import numpy as np

from accuracy_assay.numerics.joint.block_prior import fit_blocks, join_blocks
from accuracy_assay.numerics.joint.pool_prior import base_rates, pool_prior
from accuracy_assay.numerics.joint.stacking import stack


def even(*sizes: int) -> list[np.ndarray]:
    return [np.full(size, 1.0 / size) for size in sizes]


def test_attributes_that_depend_share_a_block_and_others_stay_alone(rng) -> None:
    one = rng.integers(0, 3, 400)
    two = np.where(rng.random(400) < 0.9, one, rng.integers(0, 3, 400))
    other = rng.integers(0, 2, 400)
    blocks = fit_blocks(np.stack([one, other, two], axis=1), even(3, 2, 3))
    assert [block.attributes for block in blocks] == [(0, 2), (1,)]
    truth = np.full((3, 3), 0.1 / 9) + np.eye(3) * 0.9 / 3
    assert 0.5 * np.abs(blocks[0].table - truth).sum() < 0.1


def test_every_table_is_a_distribution_and_no_cell_is_ruled_out(rng) -> None:
    codes = rng.integers(0, 2, (30, 3))
    codes[:, 1] = codes[:, 0]
    joint = join_blocks(fit_blocks(codes, even(2, 2, 2))).table
    assert joint.shape == (2, 2, 2)
    np.testing.assert_allclose(joint.sum(), 1.0)
    assert joint.min() > 0.0


def test_no_block_exceeds_its_limit(rng) -> None:
    codes = np.repeat(rng.integers(0, 4, (200, 1)), 3, axis=1)
    blocks = fit_blocks(codes, even(4, 4, 4), max_combinations=16)
    assert max(block.table.size for block in blocks) <= 16


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


def test_a_prior_that_counts_twice_is_given_half_its_weight(rng) -> None:
    truth = np.array([0.4, 0.1, 0.1, 0.4])
    arm = rng.choice(4, 4_000, p=truth)
    fold = np.arange(4_000) % 5
    squared = np.log(truth**2 / 0.25**2)
    features = np.repeat(squared[None, None], 5, axis=0)
    flat = [np.zeros((4_000, 2)), np.zeros((4_000, 2))]
    fit = stack(flat, arm, fold, features, np.array([1.0]), np.array([False, False]))
    assert abs(fit.coefficients[0] - 0.5) < 0.05
    np.testing.assert_array_equal(fit.sharpness, 1.0)
