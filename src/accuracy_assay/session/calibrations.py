"""The arms of all rows; what guessed attributes are calibrated by is learned once and kept."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from accuracy_assay.protocols import Calibration, KeptCalibration, OnSteps
from accuracy_assay.registry import build_calibrator, load_calibration
from accuracy_assay.session.cache.entries import entry_at, keep, recall
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.arms import Arms, learn_calibration

__all__ = ["read_arms"]

_FILE = "rows.calibration"


def read_arms(
    spec: Spec, rows: AssayRows, cache: Path | None = None, on_steps: OnSteps | None = None
) -> Arms:
    """Return the arms of all rows, calibrated where an attribute is guessed.

    ``cache`` is where a calibration is looked for and left.
    """
    return Arms.read(
        rows.evidence, rows.gold, rows.n_pool, lambda: _calibrate(spec, rows, cache, on_steps)
    )


def _calibrate(
    spec: Spec, rows: AssayRows, cache: Path | None, on_steps: OnSteps | None
) -> Calibration:
    entry = entry_at(cache, "calibration", spec.assay.name, _fingerprint(spec, rows))
    kept = recall(entry, lambda folder, _: load_calibration(folder / _FILE))
    if kept is not None:
        return kept
    fitted = learn_calibration(
        build_calibrator(spec.assay.calibration),
        rows.evidence,
        rows.gold,
        rows.n_pool,
        np.flatnonzero((rows.gold >= 0).all(axis=1)),
        np.random.default_rng([spec.assay.seed, 1]),
        on_steps,
    )
    if isinstance(fitted, KeptCalibration):
        keep(entry, lambda folder: fitted.save(folder / _FILE))
    return fitted


def _fingerprint(spec: Spec, rows: AssayRows) -> str:
    """Return a text that changes with anything that the calibration was learned from."""
    digest = hashlib.sha256(f"{spec.assay.calibration}\0{spec.assay.seed}\0".encode())
    digest.update(repr(rows.space).encode("utf-8", "surrogatepass"))
    digest.update("\0".join(rows.ids).encode("utf-8", "surrogatepass"))
    for array in (*rows.evidence.columns, rows.gold):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
