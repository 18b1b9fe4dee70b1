"""From rows and what their columns mean to a surface: read, observe, fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.eval_log import PREDICTION
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.files.tables import Rows
from accuracy_assay.protocols import (
    Calibration,
    EmbeddingEstimator,
    Estimator,
    NetworkCalibration,
)
from accuracy_assay.runtime.version import __version__
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.problem import LabelledProblem
from accuracy_assay.study.read.reader import read

__all__ = ["fit_problem", "fit_surface", "start_embedding"]


def fit_surface(columns: Columns, rows: Rows, pool: Rows, how: How) -> AccuracySurface:
    """Return the surface of labelled rows; see ``estimate``."""
    return fit_problem(read(columns, rows, pool, how), columns, how)


def fit_problem(found: LabelledProblem, columns: Columns, how: How) -> AccuracySurface:
    """Return the surface of rows that were read."""
    estimator = start_embedding(how.estimator, found.problem.arms.calibration)
    fitted = estimator.fit(found.observe(how.prior_strength), np.random.default_rng(how.seed))
    shown = found.shown(fitted, np.random.default_rng([how.seed, 6]))
    facts = (found.missing, found.trust, found.judged, found.graded)
    said = {key: fact for each in facts if each is not None for key, fact in each.details.items()}
    made = shown.with_details(provenance=_provenance(columns.y_pred, how.seed), **said)
    return replace(made, frames=how.frames)


def _provenance(service: str | None, seed: int) -> dict[str, Any]:
    """Return what a surface's counts do not say: its date, seed, version and service."""
    known = {"made": datetime.now(UTC).date().isoformat(), "seed": seed, "version": __version__}
    if service is None:
        return known
    return {"service": service.removeprefix(PREDICTION), **known}


def start_embedding(estimator: Estimator, calibration: Calibration | None) -> Estimator:
    """Return the estimator with an embedding that starts from the calibration's network.

    Appendix C of the paper; without an embedding or a network, the estimator stays as it is.
    """
    if isinstance(estimator, EmbeddingEstimator) and isinstance(calibration, NetworkCalibration):
        layers = calibration.hidden_layers
        return estimator if layers is None else estimator.starting_from(layers)
    return estimator
