"""Temperature scaling: P(a|x) = prod_k M_k(a_k|x)^t_k / Z_k, one t_k per attribute (Cal-Temp)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accuracy_assay.calibration.factors import log_evidence
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.quality import reported
from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.seed_set import SeedSet
from accuracy_assay.evidence import Evidence
from accuracy_assay.numerics.temperature import fit_temperature

__all__ = ["Temperature", "fit_temperatures"]


@dataclass(frozen=True, slots=True)
class Temperature:
    """Rescale each predictor and treat the attributes as independent.

    Parameters
    ----------
    held_out_share
        Share of the seed set that is held out for the report.
    """

    held_out_share: float = 0.2

    def fit(
        self,
        seed: Evidence,
        gold: npt.NDArray[np.int64],
        pool: Evidence,
        rng: np.random.Generator,
    ) -> FittedCalibration:
        """Return the calibration; the pool is not looked at."""
        if seed.n_rows == 0:
            return uncalibrated(pool.space, wanted="temperature")
        split = SeedSet.split(seed, gold, rng, self.held_out_share)
        report = CalibrationReport("temperature", 0, 0)
        fitted = FittedCalibration(
            seed.space, "temperature", fit_temperatures(split), None, report
        )
        return reported(fitted, split, {})


def fit_temperatures(seed: SeedSet) -> npt.NDArray[np.float64]:
    """Return t_k of each attribute, (K,); 1 for attributes without a predictor."""
    scores = log_evidence(seed.train)
    return np.array(
        [
            fit_temperature(scores[k], seed.train_gold[:, k]) if is_guessed else 1.0
            for k, is_guessed in enumerate(seed.train.is_guessed)
        ]
    )
