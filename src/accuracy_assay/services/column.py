"""A service whose predictions are already a column of the pool."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.files.texts import as_text
from accuracy_assay.protocols import Prediction

__all__ = ["ColumnService"]


@dataclass(frozen=True)
class ColumnService:
    """Read predictions from ``column``, and how sure the service was from ``confidence``.

    A missing prediction is the empty text: the service had no answer.
    """

    column: str
    confidence: str | None = None

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        """Yield the predictions of all rows at once."""
        require_columns(rows, [c for c in (self.column, self.confidence) if c is not None])
        predictions = rows.get_column(self.column).to_list()
        sure = [None] * rows.height if self.confidence is None else self._confidences(rows)
        yield [
            Prediction(position, as_text(value), confidence)
            for position, (value, confidence) in enumerate(zip(predictions, sure, strict=True))
        ]

    def _confidences(self, rows: pl.DataFrame) -> list[float | None]:
        column = rows.get_column(str(self.confidence))
        if not column.dtype.is_numeric():
            raise InputError(
                f"confidence column {self.confidence!r} must hold numbers; got {column.dtype}."
            )
        numbers = column.cast(pl.Float64).to_list()
        return [None if x is None or not math.isfinite(x) else x for x in numbers]
