"""``full`` finds the truth of a known world, and falls back where it cannot know it."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.raw import Raw
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace


def test_temperatures_and_joint_of_a_known_world_are_recovered(world, rng) -> None:
    seed, gold = world.draw(8_000, rng)
    pool, _ = world.draw(8_000, rng)
    fitted = Full(widths=()).fit(seed, gold, pool, rng)
    np.testing.assert_allclose(fitted.temperatures, world.temperatures, rtol=0.10)
    new, _ = world.draw(500, rng)
    rows = fitted.affiliation(new, max_dropped=0.0)
    found = np.zeros((500, world.pi.size))
    found[rows.row_index, rows.indices] = rows.weights
    true = world.posterior(new)
    assert 0.5 * np.abs(found - true).sum(axis=1).mean() < 0.02
    table = fitted.potential.blocks[0].table.reshape(-1)
    prior = np.exp(table) / np.exp(table).sum()
    assert 0.5 * np.abs(prior - world.pi).sum() < 0.02


def test_log_loss_falls_from_raw_to_temperature_to_full(world, rng) -> None:
    seed, gold = world.draw(500, rng)
    pool, _ = world.draw(4_000, rng)
    new, new_gold = world.draw(4_000, rng)
    losses = []
    for calibrator in (Raw(), Temperature(), Full(widths=())):
        fitted = calibrator.fit(seed, gold, pool, np.random.default_rng(1))
        says = replace(fitted, method="temperature") if fitted.method == "raw" else fitted
        losses.append(-says.log_probability(new, new_gold).mean())
    assert losses[0] > losses[1] > losses[2]
    truth = world.posterior(new)[np.arange(4_000), world.space.arm_index(new_gold)]
    assert losses[2] < -np.log(truth).mean() + 0.05


def test_the_paper_to_the_letter_learns_a_network_from_nothing(world, rng) -> None:
    seed, gold = world.draw(2_000, rng)
    pool, _ = world.draw(2_000, rng)
    fitted = Full(start="zero", widths=(16,), learning_rate=1e-2).fit(seed, gold, pool, rng)
    details = fitted.report.details
    assert details["width"] == 16
    assert details["steps"] > 0
    assert np.all(fitted.temperatures > 0.0)
    alone = Temperature().fit(seed, gold, pool, rng)
    new, new_gold = world.draw(2_000, rng)
    gain = fitted.log_probability(new, new_gold) - alone.log_probability(new, new_gold)
    assert gain.mean() > 2.0 * gain.std() / np.sqrt(gain.size)


def test_equal_generators_give_equal_calibrations(world, rng) -> None:
    seed, gold = world.draw(100, rng)
    pool, _ = world.draw(200, rng)
    one, two = (Full(widths=()).fit(seed, gold, pool, np.random.default_rng(3)) for _ in "ab")
    np.testing.assert_array_equal(one.temperatures, two.temperatures)
    np.testing.assert_array_equal(one.potential.blocks[0].table, two.potential.blocks[0].table)


def test_progress_rises_to_its_total_and_names_every_width(world, rng) -> None:
    seed, gold = world.draw(2_000, rng)  # those of the network above: compiled once for both
    calls: list[tuple[int, int, str]] = []
    Full(widths=(16, 4), max_steps=25).fit(seed, gold, seed, rng, lambda *call: calls.append(call))
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert (done[0], done[-1], {call[1] for call in calls}) == (0, 50, {50})
    assert all(any(f"width {w}:" in remark for _, _, remark in calls) for w in (16, 4))


@pytest.mark.parametrize("calibrator", [Temperature(), Full()])
def test_an_empty_seed_set_falls_back_to_raw_and_says_so(calibrator, world, rng) -> None:
    pool, _ = world.draw(50, rng)
    nothing = pool.take(slice(0, 0))
    with pytest.warns(CalibrationWarning, match="Fell back to 'raw'"):
        fitted = calibrator.fit(nothing, np.empty((0, 3), np.int64), pool, rng)
    raw = Raw().fit(nothing, np.empty((0, 3), np.int64), pool, rng)
    np.testing.assert_array_equal(fitted.affiliation(pool).indices, raw.affiliation(pool).indices)
    assert fitted.method == "raw"
    assert "raw" in fitted.report.notes[0]


@pytest.mark.parametrize("n_rows", [1, 3, 12])
def test_a_handful_of_gold_rows_is_enough_to_run(n_rows, world, rng) -> None:
    seed, gold = world.draw(n_rows, rng)
    pool, _ = world.draw(40, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        fitted = Full(widths=()).fit(seed, gold, pool, rng)
    assert fitted.affiliation(pool).n_rows == 40


def test_a_value_that_never_occurs_is_warned_about_and_keeps_its_chance(world, rng) -> None:
    seed, gold = world.draw(300, rng)
    seen = np.flatnonzero(gold[:, 1] != 2)
    pool, _ = world.draw(300, rng)
    with pytest.warns(CalibrationWarning, match=r"attribute 'age'.*'old'"):
        fitted = Full(widths=()).fit(seed.take(seen), gold[seen], pool, rng)
    is_sure = pool.columns[1][:, 2] > 0.99
    share = fitted.marginals(pool).tables[1][is_sure, 2]
    assert is_sure.any()
    assert np.all(share > 0.0)


def test_more_arms_than_can_be_listed_are_fitted_in_blocks(rng) -> None:
    space = AttributeSpace(tuple(Attribute(f"a{k}", ("no", "yes")) for k in range(18)))
    gold = rng.integers(0, 2, (300, 18))
    gold[:, 1] = np.where(rng.random(300) < 0.95, gold[:, 0], 1 - gold[:, 0])
    p = np.clip(np.where(gold == 1, 0.97, 0.03) + rng.normal(0, 0.01, gold.shape), 0.001, 0.999)
    evidence = Evidence(space, tuple(np.stack([1 - p[:, k], p[:, k]], 1) for k in range(18)))
    fitted = Full(widths=(4,), max_steps=25).fit(evidence, gold, evidence, rng)
    assert [0, 1] in [list(block.attributes) for block in fitted.potential.blocks]
    rows = fitted.affiliation(evidence.take(slice(0, 20)), max_dropped=0.05)
    np.testing.assert_allclose(np.add.reduceat(rows.weights, rows.indptr[:-1]), 1.0)
    np.testing.assert_array_equal(rows.argmax(), space.arm_index(gold[:20]))


def shared_noise(n: int, share: float, rng: np.random.Generator) -> tuple[Evidence, np.ndarray]:
    """Return guesses of four attributes whose noise has a common part, and the truth.

    The predictors state what they would know if their noise were their own.
    """
    gold = rng.integers(0, 2, (n, 4))
    noise = np.sqrt(share) * rng.normal(size=(n, 1)) + np.sqrt(1.0 - share) * rng.normal(
        size=(n, 4)
    )
    stated = 1.0 / (1.0 + np.exp(-2.0 * (2.0 * gold - 1.0 + noise)))
    space = AttributeSpace(tuple(Attribute(f"a{k}", (0, 1)) for k in range(4)))
    return Evidence(space, tuple(np.stack([1.0 - p, p], axis=1) for p in stated.T)), gold


def new_losses(share: float, rng: np.random.Generator) -> tuple[bool, float, float]:
    """Return whether crosstalk was kept, and the loss of new rows without it and as it came."""
    seed, pool, new = (shared_noise(n, share, rng) for n in (500, 1_000, 4_000))
    never, clear = (
        Full(widths=(), crosstalk=how).fit(*seed, pool[0], rng)  # type: ignore[arg-type]
        for how in ("never", "clear")
    )
    without, found = (-fitted.log_probability(*new).mean() for fitted in (never, clear))
    return clear.crosstalk is not None, float(without), float(found)


def test_predictors_that_err_together_are_heard_together(rng: np.random.Generator) -> None:
    is_kept, without, found = new_losses(0.7, rng)
    assert is_kept
    assert found < 0.9 * without


def test_crosstalk_costs_next_to_nothing_where_errors_are_independent(
    rng: np.random.Generator,
) -> None:
    _, without, found = new_losses(0.0, rng)
    assert found < 1.01 * without


def test_a_file_keeps_the_crosstalk_and_that_of_the_others(
    rng: np.random.Generator, tmp_path: Path
) -> None:
    evidence, gold = shared_noise(300, 0.7, rng)
    fitted = Full(widths=()).fit(evidence, gold, evidence, rng)
    assert fitted.crosstalk is not None
    fitted.save(tmp_path / "kept.calibration")
    loaded = FittedCalibration.load(tmp_path / "kept.calibration")
    rows = fitted.affiliation(evidence)
    np.testing.assert_array_equal(rows.weights, loaded.affiliation(evidence).weights)
    found, kept = fitted.other_weights(evidence, rows), loaded.other_weights(evidence, rows)
    assert found is not None
    assert kept is not None
    np.testing.assert_array_equal(found, kept)
    np.testing.assert_allclose(np.add.reduceat(found, rows.indptr[:-1], axis=1), 1.0)
