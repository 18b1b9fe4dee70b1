"""The part of a surface that a view is about, as its query says: conditions and a mix.

A condition is written ``attribute:value`` and a weight ``attribute:value:number``; names and
values may contain colons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from accuracy_assay.domain.averages import Mix
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface, Estimate
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import as_text
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.web.surface.queries import MixQuery, ViewQuery

__all__ = ["Selection", "read_conditions"]

_SAFE = 1e-100, 1e100
"""Weights within this range can be summed and multiplied as they are."""
_ROUNDING = 1e-9
"""A share of the mix that is only rounding error."""


@dataclass(frozen=True)
class Selection:
    """Conditions and a mix, as a surface takes them; ``remarks`` say what was left out."""

    where: Mapping[str, list[object]] = field(default_factory=dict)
    mix: Mix = None
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, query: ViewQuery, surface: AccuracySurface) -> Selection:
        """Return the part of a surface that a query selects.

        Raises
        ------
        InputError
            If an attribute, a value or a number is invalid.
        """
        where = read_conditions(surface.space, query.where)
        if not isinstance(query, MixQuery) or query.mix == "pool":
            return cls(where)
        if query.mix == "equal":
            return cls(where, "equal")
        table, lost = _own_mix(surface, query.weight)
        said = f"{lost:.1%} of this mix is on combinations that no pool row has; it is left out."
        return cls(where, table, (said,) if lost > _ROUNDING else ())

    def __str__(self) -> str:
        """Return the selection in words; empty for the whole pool."""
        said = [
            f"{name} {' or '.join(as_text(value) for value in values)}"
            for name, values in self.where.items()
        ]
        if isinstance(self.mix, str):
            said.append("each arm weighted equally")
        elif self.mix is not None:
            said.append("under a mix of " + ", ".join(c for c in self.mix.columns[:-1]))
        return ", ".join(said)

    def mass(self, surface: AccuracySurface) -> FloatArray:
        """Return the weight of each listed arm, (A,)."""
        return surface.mass(self.where, self.mix)

    def average(self, surface: AccuracySurface) -> Estimate | None:
        """Return the average accuracy; None if no pool row is selected."""
        mass = self.mass(surface)
        return surface.average(mass) if mass.sum() > 0.0 else None


def read_conditions(space: AttributeSpace, texts: Sequence[str]) -> dict[str, list[object]]:
    """Return the selected values of each attribute named in the texts."""
    found: dict[str, list[object]] = {}
    for text in texts:
        name, value = _split(space, text, "where")
        code = space.attribute(name).code(value)
        found.setdefault(name, []).append(space.attribute(name).values[code])
    return found


def _split(space: AttributeSpace, text: str, what: str) -> tuple[str, str]:
    """Split a text after its attribute, the longest name that fits."""
    names = [name for name in space.names if text.startswith(f"{name}:")]
    if not names:
        name, colon, _ = text.partition(":")
        if not colon:
            raise InputError(f"{what} must be attribute:value; got {text!r:.80}.")
        raise UnknownNameError(f"attribute of {what}", name, space.names)
    name = max(names, key=len)
    return name, text[len(name) + 1 :]


def _own_mix(surface: AccuracySurface, texts: Sequence[str]) -> tuple[pl.DataFrame, float]:
    """Return the weights of the pool's combinations, and the share of the mix on others."""
    if not texts:
        raise InputError(
            "mix 'own' must have weights; got none. Add weight=attribute:value:number."
        )
    if "weight" in surface.space.names:
        raise InputError(
            "mix 'own' must not be used with an attribute called 'weight'; got one. Rename that "
            "column."
        )
    weights = {name: _in_range(by) for name, by in _weights(surface.space, texts).items()}
    places = [surface.space.names.index(name) for name in weights]
    codes = surface.space.codes(surface.arms[surface.support > 0.0])[:, places]
    listed = np.unique(codes, axis=0).tolist()
    products = [
        math.prod(w.get(code, 0.0) for w, code in zip(weights.values(), row, strict=True))
        for row in listed
    ]
    whole = math.prod(sum(by_value.values()) for by_value in weights.values())
    if not (math.isfinite(whole) and whole > 0.0):
        raise InputError(f"weights of mix must be finite and not all 0; got {list(texts)!r:.200}.")
    kept = sum(products)
    if not kept > 0.0:
        raise InputError(
            f"mix must give weight to some pool rows; got {list(texts)!r:.200}, which gives them "
            "none."
        )
    lost = 1.0 - kept / whole
    return _table(surface.space, list(weights), listed, products), max(lost, 0.0)


def _in_range(weights: dict[int, float]) -> dict[int, float]:
    """Return weights of which only the ratios count, so that no sum or product overflows."""
    most = max(weights.values())
    is_safe = most == 0.0 or _SAFE[0] < most < _SAFE[1]
    return weights if is_safe else {code: weight / most for code, weight in weights.items()}


def _table(
    space: AttributeSpace, names: list[str], codes: list[list[int]], weights: list[float]
) -> pl.DataFrame:
    """Return the combinations with weight as the rows of a mix."""
    used = [row for row, weight in zip(codes, weights, strict=True) if weight > 0.0]
    columns = {
        name: [as_text(space.attribute(name).values[row[k]]) for row in used]
        for k, name in enumerate(names)
    }
    return pl.DataFrame({**columns, "weight": [w for w in weights if w > 0.0]})


def _weights(space: AttributeSpace, texts: Sequence[str]) -> dict[str, dict[int, float]]:
    """Return the weights by attribute and value code."""
    found: dict[str, dict[int, float]] = {}
    for text in texts:
        name, rest = _split(space, text, "weight")
        value, _, number = rest.rpartition(":")
        found.setdefault(name, {})[space.attribute(name).code(value)] = _number(number, text)
    return found


def _number(text: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0.0):
        raise InputError(
            f"weight must be attribute:value:number with number >= 0; got {whole!r:.80}."
        )
    return number
