"""Predictions of any service, held to its contract before they are stored.

A service may come from another package. A position outside the rows would give an answer to
another instance, and an error of its own would end the command with a traceback.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from accuracy_assay.errors import AssayError, ServiceError
from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.runtime.secrets import shown_error
from accuracy_assay.services.answer import prediction_of

__all__ = ["checked_predictions"]


def checked_predictions(
    name: str, service: Service, rows: pl.DataFrame
) -> Iterator[Sequence[Prediction]]:
    """Yield what ``service`` predicts, group after group.

    Raises
    ------
    ServiceError
        If it predicts a row that it was not given, or one twice, or fails in a way of its own.
        Groups before that were yielded.
    """
    seen: set[int] = set()
    groups: Any = None
    try:
        groups = iter(service.predict(rows))
        while (group := next(groups, None)) is not None:
            yield [_checked(name, made, rows.height, seen) for made in group]
    except (AssayError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # whatever another package raises, sys.exit() too
        said = shown_error(error)
        raise ServiceError(
            f"service {name!r} must predict its rows; got {said}. Predictions before this are "
            "kept."
        ) from error
    finally:
        if hasattr(groups, "close"):
            groups.close()


def _checked(name: str, made: Any, n_rows: int, seen: set[int]) -> Prediction:
    position = getattr(made, "position", None)
    is_number = isinstance(position, int) and not isinstance(position, bool)
    if not isinstance(made, Prediction) or not is_number:
        raise ServiceError(
            f"service {name!r} must yield groups of Prediction(position, prediction); got "
            f"{type(made).__name__} in one."
        )
    if not 0 <= made.position < n_rows or made.position in seen:
        raise ServiceError(
            f"service {name!r} must predict each of its {n_rows} rows once; got position "
            f"{made.position}{' again' if made.position in seen else ''}."
        )
    seen.add(made.position)
    return prediction_of(name, made.position, made.prediction, made.confidence)
