"""From what a service returned to a prediction, or to an error that shows it."""

from __future__ import annotations

import math
from typing import Any

from accuracy_assay.errors import ServiceError
from accuracy_assay.files.texts import as_text
from accuracy_assay.protocols import Prediction

__all__ = ["prediction_of"]

_SHOWN_CHARACTERS = 80
"""Of a value in an error message: one line of a terminal."""


def prediction_of(service: str, position: int, answer: Any, confidence: Any) -> Prediction:
    """Return a prediction; no answer at all is the empty text."""
    value = answer.item() if hasattr(answer, "item") else answer
    if value is not None and not isinstance(value, str | int | float | bool):
        raise ServiceError(
            f"prediction of service {service!r} must be a text or a number; got "
            f"{_shown(value)} for row {position}."
        )
    sure = confidence.item() if hasattr(confidence, "item") else confidence
    if sure is None:
        return Prediction(position, as_text(value))
    is_number = isinstance(sure, int | float) and not isinstance(sure, bool)
    if not is_number or not math.isfinite(sure):
        raise ServiceError(
            f"confidence of service {service!r} must be a finite number; got {_shown(sure)} for "
            f"row {position}."
        )
    return Prediction(position, as_text(value), float(sure))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."
