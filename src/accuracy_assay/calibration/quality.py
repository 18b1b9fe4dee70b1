"""The quality of a calibration, measured on rows with known gold attributes."""

from dataclasses import replace
from typing import Any

import numpy as np

from accuracy_assay.calibration.factors import SMALLEST_PROBABILITY
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.marginals import Marginals
from accuracy_assay.calibration.report import CalibrationReport, Quality
from accuracy_assay.calibration.seed_set import SeedSet
from accuracy_assay.numerics.joint.reliability import Reliability, reliability
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["reported"]


def reported(
    fitted: FittedCalibration, seed: SeedSet, details: dict[str, Any]
) -> FittedCalibration:
    """Return the calibration with its report, measured on the held-out rows of ``seed``.

    The hard choices of ``raw`` have no log-loss, so it is judged by the predictors' probabilities.
    """
    evidence, gold = seed.judged
    before = _independent(fitted)
    after = fitted if fitted.method != "raw" else before
    said, made = before.marginals(evidence), after.marginals(evidence)
    qualities = [
        _attribute_quality(fitted.space.names[k], k, said, made, gold, seed)
        for k, column in enumerate(evidence.columns)
        if column.ndim == 2 or (column < 0).any()
    ]
    joint = Quality(
        "joint",
        float(-before.log_probability(evidence, gold).mean()),
        float(-after.log_probability(evidence, gold).mean()),
        float(sum(_prior_loss(seed, gold[:, k], k) for k in range(gold.shape[1]))),
        _joint_reliability(said, gold),
        _joint_reliability(made, gold),
    )
    temperatures = dict(zip(fitted.space.names, fitted.temperatures.tolist(), strict=True))
    report = CalibrationReport(
        fitted.method,
        seed.n_rows,
        seed.n_held_out,
        tuple(qualities),
        joint,
        seed.notes,
        {"temperatures": temperatures} | details,
    )
    return replace(fitted, report=report)


def _independent(fitted: FittedCalibration) -> FittedCalibration:
    """Return the calibration that trusts the predictors' probabilities."""
    ones = np.ones_like(fitted.sharpness)
    return replace(fitted, method="temperature", sharpness=ones, potential=None, crosstalk=None)


def _attribute_quality(
    name: str, k: int, said: Marginals, made: Marginals, gold: IntArray, seed: SeedSet
) -> Quality:
    return Quality(
        name,
        _log_loss(said.tables[k], gold[:, k]),
        _log_loss(made.tables[k], gold[:, k]),
        _prior_loss(seed, gold[:, k], k),
        _reliability(said.tables[k], gold[:, k]),
        _reliability(made.tables[k], gold[:, k]),
    )


def _log_loss(table: FloatArray, gold: IntArray) -> float:
    # Marginals estimated from samples may hold a zero.
    probability = np.maximum(table[np.arange(gold.size), gold], SMALLEST_PROBABILITY)
    return float(-np.log(probability).mean())


def _prior_loss(seed: SeedSet, gold: IntArray, k: int) -> float:
    return float(-np.log(seed.frequencies[k][gold]).mean())


def _reliability(table: FloatArray, gold: IntArray) -> Reliability:
    return reliability(np.minimum(table.max(axis=1), 1.0), table.argmax(axis=1) == gold)


def _joint_reliability(found: Marginals, gold: IntArray) -> Reliability:
    is_right = np.asarray((found.top_codes == gold).all(axis=1))
    return reliability(np.minimum(found.top_probability, 1.0), is_right)
