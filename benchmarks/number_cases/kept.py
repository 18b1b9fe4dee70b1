"""A case, and what is kept of it: the numbers of every answer as arrays, by name.

Words are kept where they are data (names, values, ids), never where they are prose: a better
sentence is no other number.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa

__all__ = [
    "Case",
    "Kept",
    "of_comparison",
    "of_frame",
    "of_json",
    "of_surface",
    "of_value",
    "under",
]

Kept = dict[str, np.ndarray]

_NAMES = frozenset(
    {"attribute", "best", "choice", "column", "id", "judge", "label", "name", "service", "signal"}
)
"""Keys of JSON whose words are data."""
_PASSING = frozenset({"at", "made", "seconds", "asked_at", "lease_until"})
"""Keys and columns that tell the time."""


@dataclass(frozen=True)
class Case:
    """A name, what makes its numbers, and whether the quick set has it."""

    name: str
    make: Callable[[], Kept]
    is_quick: bool = False


def under(prefix: str, kept: Mapping[str, np.ndarray]) -> Kept:
    """Return the arrays with a prefix before their names."""
    return {f"{prefix}.{name}": array for name, array in kept.items()}


def of_surface(surface: aa.AccuracySurface) -> Kept:
    columns = ("n", "correct", "support", "mean", "sd", "lower", "upper")
    overall = surface.overall
    return {name: np.asarray(getattr(surface, name)) for name in columns} | {
        "overall": np.asarray([overall.mean, overall.sd, overall.lower, overall.upper]),
        "expected": np.asarray([surface.details.get("expected_macro_mse") or np.nan], dtype=float),
    }


def of_frame(frame: pl.DataFrame, *leave_out: str) -> Kept:
    """Return the columns of a table; numbers as floats with NaN for null, all else as text."""
    kept: Kept = {}
    for name in frame.columns:
        column = frame.get_column(name)
        if name in leave_out or name in _PASSING:
            continue
        if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
            kept[name] = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        else:
            kept[name] = _texts(str(value) for value in column.to_list())
    return kept


def of_value(value: object, *leave_out: str) -> Kept:
    """Return the numbers in the fields of a value; fields that are no numbers are left out."""
    assert is_dataclass(value)
    kept: Kept = {}
    for field in fields(value):
        found = getattr(value, field.name)
        if field.name in (*leave_out, *_PASSING):
            continue
        if found is None or isinstance(found, bool | int | float):
            kept[field.name] = _numbers([found])
    return kept


def of_comparison(found: Any) -> Kept:
    """Return places, ranks, and the differences of every two services in every arm."""
    places = list(found)
    kept: Kept = {"order": _texts(place.name for place in places)}
    for place in places:
        kept |= under(f"place.{place.name}", of_value(place) | of_value(place.estimate))
    kept |= under("ranks", of_frame(found.ranks))
    kept |= under("best", of_frame(found.best_per_arm()))
    for i, first in enumerate(found.names):
        kept |= under(f"surface.{first}", of_surface(found.surfaces[first]))
        for second in found.names[i + 1 :]:
            kept |= under(f"{first}-{second}", of_frame(found.better(first, second)))
            kept |= under(f"{first}-{second}.all", of_value(found.difference(first, second)))
    return kept


def of_json(value: object) -> Kept:
    """Return the leaves of JSON by their path; those of a list are one array.

    A key that is new later is no difference; one that is gone, or a list of another length, is.
    """
    found: dict[str, list[object]] = {}
    _collect(value, "", found)
    kept: Kept = {}
    for path, leaves in found.items():
        texts = [leaf for leaf in leaves if isinstance(leaf, str)]
        if not texts:
            kept[path] = _numbers(leaves)
        elif path.rpartition(".")[2] in _NAMES:
            kept[path] = _texts(str(leaf) for leaf in leaves)
    return kept


def _collect(value: object, path: str, found: dict[str, list[object]]) -> None:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in _PASSING:
                _collect(part, f"{path}.{key}", found)
    elif isinstance(value, list | tuple):
        for part in value:
            _collect(part, path, found)
    else:
        found.setdefault(path, []).append(value)


def _numbers(values: Iterable[object]) -> np.ndarray:
    return np.asarray([np.nan if v is None else float(v) for v in values], dtype=float)


def _texts(values: Iterable[str]) -> np.ndarray:
    return np.asarray(list(values), dtype=np.str_)
