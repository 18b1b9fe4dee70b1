"""The joint prior of seed set and pool: what it recovers, and what it says of itself."""

import numpy as np
import pytest

from accuracy_assay.calibration import joint_prior as module
from accuracy_assay.calibration.joint_prior import fit_joint_prior


def test_the_truth_of_a_known_world_is_recovered(world, rng) -> None:
    seed, gold = world.draw(6_000, rng)
    pool, _ = world.draw(6_000, rng)
    found = fit_joint_prior(seed, gold, pool)
    np.testing.assert_allclose(1.0 / found.sharpness, world.temperatures, rtol=0.12)
    table = np.exp(found.potential.blocks[0].table.reshape(-1))
    assert 0.5 * np.abs(table / table.sum() - world.pi).sum() < 0.03


def test_few_arms_have_one_table_and_one_pair_of_coefficients(world, rng) -> None:
    seed, gold = world.draw(200, rng)
    found = fit_joint_prior(seed, gold, seed)
    assert found.potential.is_exact
    assert found.potential.blocks[0].attributes == (0, 1, 2)
    assert len(found.coefficients) == 1
    assert sorted(k for block in found.tied for k in block) == [0, 1, 2]


def test_many_arms_are_cut_into_the_blocks_that_gold_rows_tie(world, rng, monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_EXACT_ARMS", 11)
    monkeypatch.setattr(module, "_MAX_SAMPLED_BLOCK", 6)
    seed, gold = world.draw(400, rng)
    found = fit_joint_prior(seed, gold, seed)
    assert [block.attributes for block in found.potential.blocks] == list(found.tied)
    assert max(block.table.size for block in found.potential.blocks) <= 6
    assert len(found.coefficients) == len(found.tied) > 1


def test_exact_attributes_keep_a_sharpness_of_one(world, rng) -> None:
    seed, gold = world.draw(200, rng)
    exact = type(seed)(seed.space, (*seed.columns[:2], gold[:, 2]))
    assert fit_joint_prior(exact, gold, exact).sharpness[2] == pytest.approx(1.0)
