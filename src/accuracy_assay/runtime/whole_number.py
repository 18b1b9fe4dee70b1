"""Whole numbers that users type: sizes, counts and seeds."""

from __future__ import annotations

import operator
from typing import Any

from accuracy_assay.errors import InputError

__all__ = ["whole_number"]


def whole_number(value: Any, name: str, *, least: int = 0, most: int | None = None) -> int:
    """Return a whole number; ``2.0`` is one, ``2.5``, ``"2"`` and ``True`` are not.

    Raises
    ------
    InputError
        If it is not one, or out of range.

    Examples
    --------
    >>> whole_number(2.0, "batch", least=1)
    2
    """
    number = _as_whole(value)
    if number is not None and number >= least and (most is None or number <= most):
        return number
    upper = "" if most is None else f" to {most}"
    try:
        shown = f"{value!r:.80}"
    except ValueError:  # more digits than Python writes
        shown = "one of thousands of digits"
    raise InputError(f"{name} must be a whole number from {least}{upper}; got {shown}.")


def _as_whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return operator.index(value)
    except TypeError:
        return None
