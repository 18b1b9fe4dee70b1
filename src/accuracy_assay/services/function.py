"""A service that is a Python function of rows, called with one batch after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import polars as pl

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.protocols import Prediction
from accuracy_assay.services.answer import prediction_of

__all__ = ["FunctionService"]


@dataclass(frozen=True)
class FunctionService:
    """Call ``module:function`` with lists of rows (dictionaries).

    The function returns one prediction per row, or one pair (prediction, confidence) per row.
    ``batch_rows`` is the most rows of a list.
    """

    name: str
    callable: str
    batch_rows: int = 64

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        """Yield the predictions, batch after batch."""
        function = self._load()
        for start in range(0, rows.height, self.batch_rows):
            batch = rows[start : start + self.batch_rows].to_dicts()
            try:
                made = list(function(batch))
            except Exception as error:  # whatever the user's function raises
                raise ServiceError(
                    f"service {self.name!r} must predict rows {start} to "
                    f"{start + len(batch) - 1}; got {type(error).__name__}: {error}. "
                    "Predictions before these are kept."
                ) from error
            if len(made) != len(batch):
                raise ServiceError(
                    f"service {self.name!r} must return one prediction per row; got {len(made)} "
                    f"for {len(batch)} rows."
                )
            pairs = [_pair(value) for value in made]
            yield [prediction_of(self.name, start + i, *pair) for i, pair in enumerate(pairs)]

    def _load(self) -> Callable[[Sequence[dict[str, Any]]], Sequence[Any]]:
        module_name, _, function_name = self.callable.partition(":")
        try:
            function = getattr(import_module(module_name), function_name)
        except (ImportError, AttributeError) as error:
            raise InputError(
                f"callable of service {self.name!r} must be importable; got {self.callable!r} "
                f"({error}). Is its folder on PYTHONPATH?"
            ) from None
        if not callable(function):
            raise InputError(
                f"callable of service {self.name!r} must be a function; got {function!r}."
            )
        return function  # type: ignore[no-any-return]


def _pair(value: Any) -> tuple[Any, Any]:
    if isinstance(value, tuple) and len(value) == 2:
        return value[0], value[1]
    return value, None
