"""Measures a calibration on rows whose gold attributes are known."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accuracy_assay.affiliation import Affiliation
from accuracy_assay.calibration.factors import evidence_factors
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.report import CalibrationReport, Quality
from accuracy_assay.calibration.seed_set import SeedSet
from accuracy_assay.evidence import Evidence
from accuracy_assay.numerics.reliability import reliability

__all__ = ["reported"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MAX_DROPPED = 1e-3


def reported(
    fitted: FittedCalibration, seed: SeedSet, details: dict[str, Any]
) -> FittedCalibration:
    """Return the calibration with its report, measured on the held-out rows of ``seed``."""
    evidence, gold = seed.judged
    before = _independent(fitted)
    judged = fitted if fitted.method != "raw" else before
    rows_before, rows_after = (
        c.affiliation(evidence, max_dropped=_MAX_DROPPED) for c in (before, judged)
    )
    qualities = [
        _attribute_quality(k, evidence, gold, rows_after, seed)
        for k in range(gold.shape[1])
        if evidence.columns[k].ndim == 2 or (evidence.columns[k] < 0).any()
    ]
    arms = fitted.space.arm_index(gold)
    joint = Quality(
        "joint",
        float(-before.log_probability(evidence, gold).mean()),
        float(-judged.log_probability(evidence, gold).mean()),
        float(np.sum([_prior_loss(seed, gold[:, k], k) for k in range(gold.shape[1])])),
        _top_reliability(rows_before, arms),
        _top_reliability(rows_after, arms),
    )
    details = {
        "temperatures": dict(zip(fitted.space.names, fitted.temperatures.tolist(), strict=True))
    } | details
    report = CalibrationReport(
        fitted.method,
        seed.n_rows,
        seed.n_held_out,
        tuple(qualities),
        joint,
        seed.notes,
        details,
    )
    return replace(fitted, report=report)


def _independent(fitted: FittedCalibration) -> FittedCalibration:
    """Return the calibration that takes predictors at their word."""
    ones = np.ones_like(fitted.temperatures)
    return replace(fitted, method="temperature", temperatures=ones, potential=None)


def _attribute_quality(
    k: int, evidence: Evidence, gold: Ints, after: Affiliation, seed: SeedSet
) -> Quality:
    said = evidence_factors(evidence, np.ones(gold.shape[1]))[k]
    said = said / said.sum(axis=1, keepdims=True)
    made = _marginal(after, evidence, k)
    return Quality(
        evidence.space.names[k],
        _log_loss(said, gold[:, k]),
        _log_loss(made, gold[:, k]),
        _prior_loss(seed, gold[:, k], k),
        reliability(said.max(axis=1), said.argmax(axis=1) == gold[:, k]),
        reliability(made.max(axis=1), made.argmax(axis=1) == gold[:, k]),
    )


def _marginal(rows: Affiliation, evidence: Evidence, k: int) -> Floats:
    size = evidence.space.shape[k]
    cell = rows.row_index * size + evidence.space.codes(rows.arms)[:, k]
    flat = np.bincount(cell, rows.weights, minlength=rows.n_rows * size)
    return np.minimum(flat.reshape(rows.n_rows, size), 1.0)


def _log_loss(table: Floats, gold: Ints) -> float:
    # Arms that were dropped may leave a zero; they hold at most this much.
    return float(-np.log(np.maximum(table[np.arange(gold.size), gold], _MAX_DROPPED / 10)).mean())


def _prior_loss(seed: SeedSet, gold: Ints, k: int) -> float:
    return float(-np.log(seed.frequencies[k][gold]).mean())


def _top_reliability(rows: Affiliation, arms: Ints) -> Any:
    top = np.maximum.reduceat(rows.weights, rows.indptr[:-1])
    return reliability(np.minimum(top, 1.0), rows.argmax() == arms)
