"""Letting a service predict the pool: what is missing, stored as it comes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.assay.pool_rows import PoolRows
from accuracy_assay.assay.problem import Predictions
from accuracy_assay.build import SERVICES, build_service
from accuracy_assay.events import Event, Scored
from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.spec.model import ServiceSection

__all__ = ["build", "predictions_in_pool", "score"]


def build(section: ServiceSection) -> Service:
    """Return the service that a section of the spec describes."""
    kind = next(kind for kind in SERVICES if getattr(section, kind) is not None)
    return build_service(
        kind, {name: getattr(section, name) for name in type(section).model_fields}
    )


def predictions_in_pool(section: ServiceSection, rows: PoolRows) -> Predictions:
    """Return the predictions of a service whose answers stand in the pool already."""
    told = build(section).predict(rows.frame)
    return {rows.ids[p.position]: (p.prediction, p.confidence) for p in told}


def score(
    section: ServiceSection,
    service: Service,
    rows: PoolRows,
    known: Set[str],
    cost: float,
    keep: Callable[[Event], object],
    on_progress: Callable[[int, int, float], None] | None = None,
) -> int:
    """Predict the rows that are not ``known``; hand the answers to ``keep`` as they come."""
    wanted = np.asarray([r for r in range(rows.n_rows) if rows.ids[r] not in known], np.int64)
    n_known = rows.n_rows - int(wanted.size)
    n_kept = 0
    for made in _gathered(service, rows.frame[wanted]):
        price = section.price * len(made)
        keep(
            Scored(
                section.name,
                tuple(rows.ids[wanted[p.position]] for p in made),
                tuple(p.prediction for p in made),
                tuple(p.confidence for p in made),
                price,
            )
        )
        n_kept, cost = n_kept + len(made), cost + price
        if on_progress is not None:
            on_progress(n_known + n_kept, rows.n_rows, cost)
    return n_kept


def _gathered(service: Service, rows: pl.DataFrame) -> Iterator[list[Prediction]]:
    """Yield all predictions that came while the last ones were being kept.

    The service runs in a thread of its own, so an answer waits for the store no longer than one
    write takes: that is all that a killed process can lose.
    """
    if rows.height == 0:
        return
    came: queue.SimpleQueue[Prediction | _End] = queue.SimpleQueue()
    has_stopped = threading.Event()

    def run() -> None:
        error: BaseException | None = None
        predictions = service.predict(rows)
        try:
            for prediction in predictions:
                came.put(prediction)
                if has_stopped.is_set():
                    break
        except BaseException as raised:
            error = raised
        came.put(_End(error))

    threading.Thread(target=run, name="assay-score", daemon=True).start()
    try:
        end: _End | None = None
        while end is None:
            made: list[Prediction] = []
            item = came.get()
            while True:
                if isinstance(item, _End):
                    end = item
                    break
                made.append(item)
                if came.empty():
                    break
                item = came.get()
            if made:
                yield made
        if end.error is not None:
            raise end.error
    finally:
        has_stopped.set()


@dataclass(frozen=True)
class _End:
    """The last thing that comes from a service: nothing, or why it stopped."""

    error: BaseException | None
