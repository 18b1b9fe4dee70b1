"""From what a service returned to predictions that can be stored, or to an error that shows it.

A service may come from another package. A position outside the rows would give an answer to
another instance, and an error of its own would end the command with a traceback.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from accuracy_assay.errors import AssayError, InputError, ServiceError
from accuracy_assay.files.texts import as_text, require_whole
from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.runtime.secrets import shown_error

__all__ = ["checked_predictions", "prediction_of"]

_SHOWN_CHARACTERS = 80
"""Of a value in an error message: one line of a terminal."""


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


def prediction_of(service: str, position: int, answer: Any, confidence: Any) -> Prediction:
    """Return a prediction; no answer at all is the empty text."""
    value, sure = _plain(answer), _plain(confidence)
    if value is not None and not isinstance(value, str | int | float | bool):
        raise ServiceError(
            f"prediction of service {service!r} must be a text or a number; got "
            f"{_shown(value)} for row {position}."
        )
    text = _text(service, position, value)
    if sure is None:
        return Prediction(position, text)
    if not _is_finite_number(sure):
        raise ServiceError(
            f"confidence of service {service!r} must be a finite number; got {_shown(sure)} for "
            f"row {position}."
        )
    return Prediction(position, text, float(sure))


def _plain(value: Any) -> Any:
    """Return the number of an array library as a plain one; a whole array stays what it is."""
    try:
        return value.item() if hasattr(value, "item") else value
    except Exception:  # every array library has an error of its own for more than one number
        return value


def _text(service: str, position: int, value: Any) -> str:
    try:
        return require_whole(as_text(value), "it")
    except InputError as error:
        raise ServiceError(
            f"prediction of service {service!r} must be a text that can be kept; got another for "
            f"row {position}: {error}"
        ) from None


def _is_finite_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # one that cannot even be written
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."
