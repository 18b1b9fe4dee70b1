"""From what a service returned to a prediction, or to an error that shows it."""

from __future__ import annotations

import math
from typing import Any

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.files.texts import as_text, require_whole
from accuracy_assay.protocols import Prediction

__all__ = ["prediction_of"]

_SHOWN_CHARACTERS = 80
"""Of a value in an error message: one line of a terminal."""


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
