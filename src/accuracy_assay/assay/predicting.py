"""Letting a service predict the pool: what is missing, stored as it comes."""

from __future__ import annotations

from collections.abc import Callable, Set

import numpy as np

from accuracy_assay.assay.rows import AssayRows
from accuracy_assay.assay.service_problem import Predictions
from accuracy_assay.domain.events import Event, Predicted
from accuracy_assay.protocols import Service
from accuracy_assay.registry import build_service
from accuracy_assay.spec.model import ServiceSection

__all__ = ["build", "predict_missing", "predictions_in_pool"]


def build(section: ServiceSection) -> Service:
    """Return the service that a section of the spec describes."""
    return build_service(*section.made_from())


def predictions_in_pool(section: ServiceSection, rows: AssayRows) -> Predictions:
    """Return the predictions of a service whose answers stand in the pool already."""
    made = build(section).predict(rows.frame)
    return {rows.ids[p.position]: (p.prediction, p.confidence) for group in made for p in group}


def predict_missing(
    section: ServiceSection,
    service: Service,
    rows: AssayRows,
    known: Set[str],
    cost: float,
    store: Callable[[Event], object],
    on_progress: Callable[[int, int, float], None] | None = None,
) -> int:
    """Predict the rows that are not ``known``; hand the answers to ``store`` as they come."""
    wanted = np.asarray([r for r in range(rows.n_rows) if rows.ids[r] not in known], np.int64)
    n_known = rows.n_rows - int(wanted.size)
    n_stored = 0
    if not wanted.size:
        return 0
    for made in service.predict(rows.frame[wanted]):
        if not made:
            continue
        price = section.price * len(made)
        store(
            Predicted(
                section.name,
                tuple(rows.ids[wanted[p.position]] for p in made),
                tuple(p.prediction for p in made),
                tuple(p.confidence for p in made),
                price,
            )
        )
        n_stored, cost = n_stored + len(made), cost + price
        if on_progress is not None:
            on_progress(n_known + n_stored, rows.n_rows, cost)
    return n_stored
