"""The arms of all rows; what guessed attributes are calibrated by is learned once and kept."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.protocols import Calibration, KeptCalibration, OnSteps
from accuracy_assay.registry import build_calibrator, load_calibration
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.cache.entries import entry_at, keep, recall
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.arms import Arms, learn_calibration

__all__ = ["read_arms"]

_FILE = "rows.calibration"
_STATE = "with others"
"""What a kept calibration holds; one of another state is learned again."""


def read_arms(
    spec: Spec,
    rows: AssayRows,
    cache: Path | None = None,
    on_steps: OnSteps | None = None,
    observed: tuple[LabelAttribute, IntArray] | None = None,
) -> Arms:
    """Return the arms of all rows, calibrated where an attribute is guessed.

    Parameters
    ----------
    spec, rows
        The spec, and the tables.
    cache
        Where a calibration is looked for and left.
    on_steps
        Called from time to time while a calibration is learned.
    observed
        An attribute that is the label, and the class that each row is predicted to have; the arms
        are then over predictions.
    """
    evidence, gold = rows.evidence, rows.gold
    if observed is not None:
        label, predicted = observed
        evidence, gold = label.evidence(evidence, predicted), label.gold(gold, predicted)
    return Arms.read(
        evidence,
        gold,
        rows.n_pool,
        lambda: _calibrate(spec, rows, evidence, gold, cache, on_steps),
    )


def _calibrate(
    spec: Spec,
    rows: AssayRows,
    evidence: Evidence,
    gold: IntArray,
    cache: Path | None,
    on_steps: OnSteps | None,
) -> Calibration:
    fingerprint = _fingerprint(spec, rows, evidence, gold)
    entry = entry_at(cache, "calibration", spec.assay.name, fingerprint)
    kept = recall(entry, lambda folder, _: load_calibration(folder / _FILE))
    if kept is not None:
        return kept
    fitted = learn_calibration(
        build_calibrator(spec.assay.calibration),
        evidence,
        gold,
        rows.n_pool,
        np.flatnonzero((rows.gold >= 0).all(axis=1)),
        np.random.default_rng([spec.assay.seed, 1]),
        on_steps,
    )
    if isinstance(fitted, KeptCalibration):
        keep(entry, lambda folder: fitted.save(folder / _FILE))
    return fitted


def _fingerprint(spec: Spec, rows: AssayRows, evidence: Evidence, gold: IntArray) -> str:
    """Return a text that changes with anything that the calibration was learned from."""
    digest = hashlib.sha256(f"{_STATE}\0{spec.assay.calibration}\0{spec.assay.seed}\0".encode())
    digest.update(repr(evidence.space).encode("utf-8", "surrogatepass"))
    digest.update("\0".join(rows.ids).encode("utf-8", "surrogatepass"))
    for array in (*evidence.columns, gold):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
