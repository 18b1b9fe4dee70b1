"""Joint priors from gold rows: which attributes share a block, and what its table holds."""

import numpy as np

from accuracy_assay.numerics.joint.block_prior import Block, fit_blocks, join_blocks


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


def test_a_merged_table_is_counts_and_back_off_at_the_best_leave_one_out_strength() -> None:
    codes = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [30, 4, 3, 23], axis=0)
    (block,) = fit_blocks(codes, even(2, 2))
    singles = [(np.bincount(codes[:, k]) + 2.5) / 65 for k in range(2)]
    apart = np.outer(*singles)
    counts = np.array([[30, 4], [3, 23]])

    def left_out(strength: float) -> float:
        p = (counts - 1 + strength * apart) / (60 - 1 + strength)
        return float((counts * np.log(p)).sum())

    best = max((1.0, 3.0, 10.0, 30.0, 100.0, 300.0), key=left_out)
    np.testing.assert_allclose(block.table, (counts + best * apart) / (60 + best))


def test_every_table_is_a_distribution_and_no_combination_is_ruled_out(rng) -> None:
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


def test_one_gold_row_ties_nothing() -> None:
    blocks = fit_blocks(np.array([[1, 0]]), even(2, 2))
    assert [block.attributes for block in blocks] == [(0,), (1,)]
    np.testing.assert_allclose(blocks[0].table, [2.5 / 6, 3.5 / 6])


def test_blocks_are_joined_in_the_order_of_the_attributes(rng) -> None:
    first, second = rng.dirichlet(np.ones(8)).reshape(2, 4), rng.dirichlet(np.ones(3))
    joint = join_blocks([Block((0, 2), first), Block((1,), second)])
    assert joint.attributes == (0, 1, 2)
    np.testing.assert_allclose(joint.table, first[:, None, :] * second[None, :, None])
