"""Facts about an item, flattened: nested objects become columns such as ``metadata.topic``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any

import polars as pl

from accuracy_assay.files.texts import as_text

__all__ = ["LONGEST_TEXT", "flatten", "plain_column"]

LONGEST_TEXT = 100_000
"""Longest text of a cell, in characters: a long document with its question. Longer ones are logs
of other programs, or images written as text."""
_DEEPEST = 6
"""Most levels of objects within objects; metadata of real logs have three."""
_LONGEST_NAME = 200
_LONGEST_LIST = 20
"""Most values of a list that becomes a text, such as tags; longer ones are data."""
_LARGEST_INTEGER = 2**63 - 1


def flatten(
    facts: Mapping[str, Any], left_out: MutableMapping[str, str]
) -> dict[str, str | float | bool]:
    """Return the values of an object by the path of each; why some are left out is noted.

    Examples
    --------
    >>> why = {}
    >>> flatten({"topic": "art", "by": {"year": 1999, "tags": ["a", "b"]}, "log": [{}]}, why)
    {'topic': 'art', 'by.year': 1999, 'by.tags': 'a, b'}
    >>> why
    {'log': 'a list of objects'}
    """
    found: dict[str, str | float | bool] = {}
    for name, value in _leaves(facts, "", 1, left_out):
        scalar = _scalar(name, value, left_out)
        if scalar is not None:
            found.setdefault(name, scalar)
    return found


def plain_column(name: str, values: Iterable[Any]) -> pl.Series:
    """Return values as a column of booleans, of numbers, or else of texts.

    Examples
    --------
    >>> plain_column("year", [1999, None]).dtype, plain_column("year", [1999, "?"]).to_list()
    (Int64, ['1999', '?'])
    """
    listed = list(values)
    kinds = {type(value) for value in listed if value is not None}
    if kinds <= {bool}:
        return pl.Series(name, listed, dtype=pl.Boolean if kinds else pl.String)
    if kinds == {int}:
        return pl.Series(name, listed, dtype=pl.Int64)
    if kinds <= {int, float}:
        return pl.Series(name, listed, dtype=pl.Float64, strict=False)
    texts = [value if isinstance(value, str) else as_text(value) or None for value in listed]
    return pl.Series(name, texts, dtype=pl.String)


def _leaves(
    value: Mapping[str, Any], path: str, depth: int, left_out: MutableMapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """Yield everything that is not an object itself, with its path."""
    for key, part in value.items():
        name = f"{path}{key}"[:_LONGEST_NAME]
        if not isinstance(part, Mapping):
            yield name, part
        elif depth >= _DEEPEST:
            left_out.setdefault(name, f"objects nested more than {_DEEPEST} deep")
        else:
            yield from _leaves(part, f"{name}.", depth + 1, left_out)


def _scalar(
    name: str, value: Any, left_out: MutableMapping[str, str]
) -> str | float | bool | None:
    """Return a value that fits a cell, None for one that does not."""
    if isinstance(value, list | tuple):
        value = _joined(name, value, left_out)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_INTEGER else None
    if not isinstance(value, str):
        left_out.setdefault(name, f"values of type {type(value).__name__}")
        return None
    if len(value) > LONGEST_TEXT:
        left_out.setdefault(name, f"texts longer than {LONGEST_TEXT:,} characters")
        return None
    return value


def _joined(
    name: str, values: list[Any] | tuple[Any, ...], left_out: MutableMapping[str, str]
) -> str | None:
    """Return a short list of plain values as one text."""
    if any(isinstance(value, Mapping | list | tuple) for value in values[:_LONGEST_LIST]):
        left_out.setdefault(name, "a list of objects")
        return None
    if len(values) > _LONGEST_LIST:
        left_out.setdefault(name, f"lists of more than {_LONGEST_LIST} values")
        return None
    return ", ".join(as_text(value) for value in values) or None
