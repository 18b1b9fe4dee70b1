"""How ids, labels and predictions are compared: by their text, in which 1 and 1.0 are the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["as_text", "as_texts"]


def as_text(value: Any) -> str:
    """Return the text by which a value is known; nothing is the empty text.

    Examples
    --------
    >>> as_text(3.0), as_text("cat"), as_text(None)
    ('3', 'cat', '')
    """
    item = value.item() if hasattr(value, "item") else value
    if item is None:
        return ""
    return str(int(item)) if isinstance(item, float) and item.is_integer() else str(item)


def as_texts(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the texts of several values."""
    return tuple(as_text(value) for value in values)
