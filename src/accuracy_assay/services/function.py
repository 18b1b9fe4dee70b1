"""A service that is a Python function of rows, called with one batch after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any

import polars as pl

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.protocols import Prediction
from accuracy_assay.runtime.imports import import_address
from accuracy_assay.runtime.secrets import shown_error
from accuracy_assay.services.predictions import prediction_of

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
            made = self._call(function, batch, start)
            pairs = [_pair(value) for value in made]
            yield [prediction_of(self.name, start + i, *pair) for i, pair in enumerate(pairs)]

    def _call(self, function: Callable[..., Any], batch: list[Any], start: int) -> list[Any]:
        """Return one answer per row, whatever the function does."""
        n_rows = len(batch)
        try:
            returned = function(batch)
            # One more than there are rows is too many; a generator may never end.
            made = None if _is_one_value(returned) else list(islice(returned, n_rows + 1))
        except KeyboardInterrupt:
            raise  # the user's own
        except BaseException as error:  # whatever the user's function raises, sys.exit() too
            said = shown_error(error)
            raise ServiceError(
                f"service {self.name!r} must predict rows {start} to {start + n_rows - 1}; got "
                f"{said}. Predictions before these are kept."
            ) from error
        if made is None:
            raise ServiceError(
                f"service {self.name!r} must return a list with one prediction per row; got "
                f"{type(returned).__name__}."
            )
        if len(made) != n_rows:
            count = len(made) if len(made) < n_rows else f"more than {n_rows}"
            raise ServiceError(
                f"service {self.name!r} must return one prediction per row; got {count} "
                f"for {n_rows} rows."
            )
        return made

    def _load(self) -> Callable[[Sequence[dict[str, Any]]], Sequence[Any]]:
        what = f"callable of service {self.name!r}"
        function = import_address(what, self.callable)
        if not callable(function):
            raise InputError(f"{what} must be a function; got {function!r}.")
        return function  # type: ignore[no-any-return]


def _is_one_value(returned: Any) -> bool:
    """Return whether a function returned something other than a list of predictions."""
    return returned is None or isinstance(returned, str | bytes | Mapping | Set | int | float)


def _pair(value: Any) -> tuple[Any, Any]:
    if isinstance(value, tuple) and len(value) == 2:
        return value[0], value[1]
    return value, None
