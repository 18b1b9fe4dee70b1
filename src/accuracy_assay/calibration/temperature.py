"""Temperature scaling: P(a|x) = prod_k M_k(a_k|x)^(1 / T_k) / Z_k, one T_k per attribute.

Guo et al. (2017); the paper's Cal-Temp. T_k > 1 makes an overconfident predictor flatter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from accuracy_assay.calibration.factors import predictor_sharpness
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.others import other_sharpness
from accuracy_assay.calibration.quality import reported
from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.seed_set import HELD_OUT_SHARE, SeedSet
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.protocols import OnSteps
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["Temperature"]


@dataclass(frozen=True, slots=True)
class Temperature:
    """Rescale each predictor and treat the attributes as independent.

    Parameters
    ----------
    held_out_share
        Share of the seed set held out for the report.
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
        """Return the calibration; the pool is not used."""
        if seed.n_rows == 0:
            return uncalibrated(pool.space, wanted="temperature")
        split = SeedSet.split(seed, gold, rng, self.held_out_share)
        fitted = FittedCalibration(
            seed.space,
            "temperature",
            predictor_sharpness(split.train, split.train_gold),
            None,
            CalibrationReport("temperature", 0, 0),
        )
        judged = reported(fitted, split, {})
        # The report stays; the rows held out for it now serve the fit too.
        sharpness = predictor_sharpness(seed, gold)
        others = other_sharpness(
            lambda rows: predictor_sharpness(seed.take(rows), gold[rows]),
            sharpness,
            seed.n_rows,
            rng.spawn(1)[0],
        )
        return replace(judged, sharpness=sharpness, others=others)
