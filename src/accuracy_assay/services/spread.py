"""A service that the workers of an engine call, each with its own rows.

Every worker builds the service from its settings: a secret is read from the worker's environment
and is never sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from accuracy_assay.errors import ServiceError
from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.runtime.engine import Engine
from accuracy_assay.services.predictions import checked_predictions

__all__ = ["SpreadService"]


@dataclass(frozen=True)
class SpreadService:
    """Let the workers of ``engine`` predict ``rows_per_part`` rows at a time.

    ``build`` makes the service on a worker, so it must be picklable.
    """

    name: str
    build: Callable[[], Service]
    engine: Engine
    rows_per_part: int

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        """Yield the predictions of a part as soon as they are there; an error follows at the end.

        Predictions made before an error are kept: they are paid for.
        """
        starts = range(0, rows.height, self.rows_per_part)
        parts = (_RowRange(start, rows[start : start + self.rows_per_part]) for start in starts)
        failure: str | None = None
        for made, said in self.engine.map_as_done(_Predict(self.name, self.build), parts):
            failure = failure or said
            if made:
                yield made
        if failure is not None:
            raise ServiceError(failure)


@dataclass(frozen=True)
class _RowRange:
    """Some rows, and the position of the first among all."""

    start: int
    rows: pl.DataFrame

    def __str__(self) -> str:
        return f"rows {self.start} to {self.start + self.rows.height - 1}"


@dataclass(frozen=True)
class _Predict:
    """What a worker does with a part: its predictions, and why some are missing."""

    name: str
    build: Callable[[], Service]

    def __call__(self, part: _RowRange) -> tuple[list[Prediction], str | None]:
        made: list[Prediction] = []
        try:
            for group in checked_predictions(self.name, self.build(), part.rows):
                made += [replace(p, position=part.start + p.position) for p in group]
        except ServiceError as error:
            return made, f"{part}: {error}"
        return made, None
