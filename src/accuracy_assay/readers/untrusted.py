"""Values of files that nobody vouches for: as the type that is needed, or nothing.

A log may be half, mixed up or nonsense, so a reader asks for a text, a number or an object and
gets it or not; it never assumes a type.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["chat", "count", "digest", "elements", "entries", "figure", "shown", "verdict", "words"]

_LARGEST_COUNT = 1_000_000_000
"""Indices and numbers of repeats beyond it are nonsense."""
_GOOD = frozenset({"correct", "pass", "passed", "true", "yes"})
_BAD = frozenset({"incorrect", "wrong", "fail", "failed", "false", "no"})


def entries(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty one if the value is anything else."""
    return value if isinstance(value, Mapping) else {}


def elements(value: Any) -> list[Any]:
    """Return a list; an empty one if the value is anything else."""
    return value if isinstance(value, list) else []


def words(value: Any) -> str | None:
    """Return a text that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def figure(value: Any) -> float | None:
    """Return a finite number; true and false are one and zero.

    Examples
    --------
    >>> figure(True), figure(2), figure("2"), figure(float("nan")), figure(10**400)
    (1.0, 2.0, None, None, None)
    """
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def count(value: Any) -> int | None:
    """Return a whole number that may be an index."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _LARGEST_COUNT else None


def shown(value: Any) -> str | None:
    """Return the text of any value: a list of one is its element, and objects are JSON.

    Examples
    --------
    >>> shown("4"), shown(["4"]), shown(4), shown({"a": [1]}), shown(None), shown([])
    ('4', '4', '4', '{"a": [1]}', None, None)
    """
    if isinstance(value, list) and len(value) < 2:
        value = value[0] if value else None
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def verdict(label: Any) -> float | None:
    """Return what a label such as ``pass`` or ``incorrect`` says: one, zero or nothing.

    Examples
    --------
    >>> verdict("Pass"), verdict("incorrect"), verdict("relevant")
    (1.0, 0.0, None)
    """
    word = label.strip().lower() if isinstance(label, str) else None
    return 1.0 if word in _GOOD else 0.0 if word in _BAD else None


def chat(value: Any) -> str | None:
    r"""Return what people read of a prompt: a text, or messages with their roles.

    Examples
    --------
    >>> chat([{"role": "user", "content": "2 + 2?"}])
    '2 + 2?'
    >>> chat([{"role": "system", "content": "Add."}, {"role": "user", "content": "2 + 2?"}])
    'system: Add.\n\nuser: 2 + 2?'
    """
    messages = entries(value).get("messages", value)
    if not isinstance(messages, list) or not all(isinstance(m, Mapping) for m in messages):
        return shown(value)
    said = [(words(m.get("role")), _content(m)) for m in messages]
    if len(said) == 1:
        return said[0][1]
    lines = [f"{role}: {text}" if role else text for role, text in said if text is not None]
    return "\n\n".join(lines) or None


def _content(message: Mapping[str, Any]) -> str | None:
    """Return the text of a message, whose content may be a list of parts."""
    content = message.get("content", message.get("parts"))
    if not isinstance(content, list):
        return shown(content)
    parts = (entries(part) for part in content)
    texts = (words(part.get("text", part.get("content"))) for part in parts)
    return "\n".join(text for text in texts if text is not None) or shown(content)


def digest(*parts: Any) -> str:
    """Return a short text that equal values have in common, and others do not.

    Examples
    --------
    >>> digest("2 + 2?", {"b": 1, "a": 2}) == digest("2 + 2?", {"a": 2, "b": 1})
    True
    """
    whole = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
