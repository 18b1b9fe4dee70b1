"""Other calibrations that the gold rows allow."""

from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.others import N_OTHERS
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence


def learned(
    world, n_gold: int, seed: int = 3, calibrator=None
) -> tuple[FittedCalibration, Evidence]:
    rng = np.random.default_rng(seed)
    gold_rows, gold = world.draw(n_gold, rng)
    pool, _ = world.draw(2_000, rng)
    calibrator = calibrator or Full(widths=())
    return calibrator.fit(gold_rows, gold, pool, rng), pool


def size_doubt(fitted: FittedCalibration, pool: Evidence) -> float:
    """Deviation of the arms' sizes over other calibrations, as a share of the pool."""
    rows = fitted.affiliation(pool)
    others = fitted.other_weights(pool, rows)
    assert others is not None
    sizes = np.stack([np.bincount(rows.indices, each, minlength=12) for each in others])
    fit = np.bincount(rows.indices, rows.weights, minlength=12)
    return float(np.sqrt(((sizes - fit) ** 2).mean()) / pool.n_rows)


@pytest.mark.parametrize("calibrator", [Full(widths=()), Temperature()], ids=["full", "alone"])
def test_every_other_spreads_a_row_over_the_same_arms(world, calibrator) -> None:
    fitted, pool = learned(world, 200, calibrator=calibrator)
    rows = fitted.affiliation(pool)
    others = fitted.other_weights(pool, rows)
    assert others is not None
    assert others.shape == (N_OTHERS, rows.weights.size)
    totals = np.add.reduceat(others, rows.indptr[:-1], axis=1)
    np.testing.assert_allclose(totals, 1.0)
    assert np.abs(others - rows.weights).max() > 1e-4


def test_known_arms_are_beyond_doubt(world) -> None:
    fitted, pool = learned(world, 200)
    known = Affiliation.exact(np.arange(pool.n_rows) % 12)
    others = fitted.other_weights(pool, known)
    assert others is not None
    np.testing.assert_array_equal(others, 1.0)


def test_doubt_falls_with_the_root_of_the_gold_rows(world) -> None:
    """Sixteen times as many rows: a quarter of the deviation, and none with infinitely many."""
    few = np.mean([size_doubt(*learned(world, 200, seed)) for seed in range(4)])
    many = np.mean([size_doubt(*learned(world, 3_200, seed)) for seed in range(4)])
    assert 0.15 * few < many < 0.4 * few


def test_a_file_keeps_the_others(world, tmp_path: Path) -> None:
    fitted, pool = learned(world, 200)
    fitted.save(tmp_path / "kept.calibration")
    loaded = FittedCalibration.load(tmp_path / "kept.calibration")
    rows = fitted.affiliation(pool)
    found, kept = fitted.other_weights(pool, rows), loaded.other_weights(pool, rows)
    assert found is not None
    assert kept is not None
    np.testing.assert_array_equal(found, kept)
