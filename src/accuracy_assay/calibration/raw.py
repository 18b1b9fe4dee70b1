"""No calibration: the most probable value of each predictor counts as true (Cal-Raw)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.quality import reported
from accuracy_assay.calibration.report import CalibrationReport, CalibrationWarning
from accuracy_assay.calibration.seed_set import HELD_OUT_SHARE, SeedSet
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.protocols import OnSteps
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["Raw", "uncalibrated"]


@dataclass(frozen=True, slots=True)
class Raw:
    """Affiliate each instance with the arm of its most probable values.

    Tied values share the weight, so an unknown attribute stays spread over all its values. The
    report measures the predictors' own probabilities.

    Parameters
    ----------
    held_out_share
        Share of the seed set that the report is measured on.
    """

    held_out_share: float = HELD_OUT_SHARE

    def fit(
        self,
        seed: Evidence,
        gold: IntArray,
        pool: Evidence,
        rng: np.random.Generator,
        on_steps: OnSteps | None = None,
    ) -> FittedCalibration:
        """Return the calibration; the seed set serves only the report."""
        fitted = uncalibrated(pool.space)
        if seed.n_rows == 0:
            return fitted
        return reported(fitted, SeedSet.split(seed, gold, rng, self.held_out_share), {})


def uncalibrated(space: AttributeSpace, *, wanted: str | None = None) -> FittedCalibration:
    """Return the calibration that needs no seed set; warn if ``wanted`` would have needed one."""
    notes: tuple[str, ...] = ()
    if wanted is not None:
        notes = (
            f"calibration {wanted!r} must have a seed set with gold attributes; got an empty one. "
            "Fell back to 'raw': the most probable value of each predictor counts as true.",
        )
        warnings.warn(notes[0], CalibrationWarning, stacklevel=3)
    report = CalibrationReport("raw", 0, 0, notes=notes)
    return FittedCalibration(space, "raw", np.ones(len(space.attributes)), None, report)
