"""A calibration is learned once for the same rows and settings."""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import accuracy_assay as aa
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.raw import Raw
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.session.calibrations import read_arms
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.read import read_spec


def test_exact_attributes_leave_nothing_in_the_cache(bench, tmp_path: Path) -> None:
    assay = bench.create()
    arms = read_arms(assay.spec, assay.session.parts().rows, tmp_path / "cache")
    assert arms.calibration is None
    assert not (tmp_path / "cache").exists()


def test_a_calibration_is_learned_once_and_kept_beside_the_store(
    guessed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "digits.assay"
    tables = {"pool": guessed.pool, "seed_set": guessed.seed}
    with guessed.create(path) as assay:
        assay.calibrate()
        first = assay.surface().to_frame()
    (kept,) = (tmp_path / "digits.assay.cache").glob("calibration-*/*.calibration")

    def never(*_: object) -> None:
        raise AssertionError("the calibration was learned again")

    with monkeypatch.context() as patch:
        patch.setattr("accuracy_assay.session.calibrations.build_calibrator", never)
        with aa.Assay.open(path, **tables) as again:
            assert again.surface().to_frame().equals(first)
    kept.write_bytes(b"damaged")
    with aa.Assay.open(path, **tables) as again:
        assert again.surface().to_frame().equals(first)


@pytest.fixture
def raw(guessed) -> tuple[Any, AssayRows]:
    """A spec whose calibration costs nothing, and its rows."""
    spec = read_spec(guessed.spec | {"assay": {"calibration": "raw"}})
    return spec, AssayRows.read(spec, guessed.pool, guessed.seed)


def test_the_same_rows_and_settings_share_one_calibration(
    raw: tuple[Any, AssayRows], tmp_path: Path
) -> None:
    spec, rows = raw
    first, again = read_arms(spec, rows, tmp_path), read_arms(spec, rows, tmp_path)
    assert len(list(tmp_path.glob("calibration-*"))) == 1
    np.testing.assert_array_equal(first.candidate.weights, again.candidate.weights)
    without_cache = read_arms(spec, rows)
    np.testing.assert_array_equal(first.candidate.weights, without_cache.candidate.weights)


@pytest.mark.parametrize("changed", ["calibration", "seed", "gold", "evidence"])
def test_what_a_calibration_is_learned_from_decides_which_one_is_used(
    raw: tuple[Any, AssayRows], guessed, tmp_path: Path, changed: str
) -> None:
    spec, rows = raw
    read_arms(spec, rows, tmp_path)
    before = list(tmp_path.glob("calibration-*"))
    if changed == "calibration":
        spec = read_spec(guessed.spec)
    elif changed == "seed":
        spec = read_spec(guessed.spec | {"assay": {"calibration": "raw", "seed": 1}})
    elif changed == "gold":
        tables = replace(rows.tables, gold=np.where(rows.gold < 0, -1, 0))
        rows = replace(rows, load=lambda: tables)
    else:
        guess = rows.evidence.columns[0][::-1]
        evidence = replace(rows.evidence, columns=(guess, *rows.evidence.columns[1:]))
        tables = replace(rows.tables, evidence=evidence)
        rows = replace(rows, load=lambda: tables)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)  # of how bad the changed rows are
        read_arms(spec, rows, tmp_path)
    (after,) = tmp_path.glob("calibration-*")  # the latest is kept
    assert [after] != before


@dataclass(frozen=True)
class Telling(Raw):
    """A calibrator that tells one step."""

    def fit(self, *arguments: Any) -> FittedCalibration:
        arguments[-1](1, 1, "done")
        return super().fit(*arguments)


def test_progress_is_told_while_a_calibration_is_learned_and_not_when_it_is_read(
    raw: tuple[Any, AssayRows], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "accuracy_assay.session.calibrations.build_calibrator", lambda _: Telling()
    )
    heard: list[tuple[int, int, str]] = []
    for _ in range(2):
        read_arms(*raw, tmp_path, lambda *step: heard.append(step))
    assert heard == [(1, 1, "done")]
