"""The views of one surface as plain values: weak slices, heat map, arms, marginals.

A view is a function of the surface and the query, so a link reproduces it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.most_telling import most_telling, telling_pair
from accuracy_assay.domain.rows_right import rows_right
from accuracy_assay.domain.slices import WeakSlices
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import STATUSES, AccuracySurface, Estimate
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import as_text
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    HeatQuery,
    MarginalsQuery,
    SlicesQuery,
    WorstQuery,
)
from accuracy_assay.web.surface.selection import Selection
from accuracy_assay.web.surface.values import (
    NUMBERS,
    About,
    Arm,
    Arms,
    Axis,
    Box,
    Heat,
    Marginal,
    Marginals,
    Numbers,
    Slice,
    Slices,
    Value,
    Worst,
)

__all__ = [
    "arm_values",
    "arms_view",
    "axes_of",
    "heat_view",
    "marginals_view",
    "numbers",
    "rows_that_match",
    "slices_view",
    "typical_values",
    "worst_view",
]

_NO_ROWS = "No pool row matches. Remove a filter."
_ONE_ATTRIBUTE = "A heat map needs two attributes; this assay has one. See One attribute."
_ANY = "any"
"""Status of all arms, those that are not in the pool too."""
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Steps of an axis that zooms to the data, in accuracy."""
_MOST_STEPS = 8
"""Steps on such an axis, so that their numbers fit under it."""


def numbers(estimate: Estimate | None) -> Numbers | None:
    """Return an estimate, if any, as plain values."""
    return None if estimate is None else Numbers.model_validate(estimate)


def axes_of(space: AttributeSpace) -> list[Axis]:
    """Return the attributes and their values as texts."""
    return [Axis(name=a.name, values=[as_text(v) for v in a.values]) for a in space.attributes]


def typical_values(surface: AccuracySurface) -> list[str]:
    """Return the value of each attribute that most pool rows have, as texts."""
    codes = surface.space.codes(surface.arms)
    rows = [np.bincount(code, weights=surface.support).argmax() for code in codes.T]
    return [axis.values[k] for axis, k in zip(axes_of(surface.space), rows, strict=True)]


def slices_view(about: About, surface: AccuracySurface, query: SlicesQuery) -> Slices:
    """Return the weak slices, most errors first."""
    found = surface.slices(query.below)
    slices = [
        Slice(
            **_numbers(asdict(each.estimate)),
            conditions=[(name, as_text(value)) for name, value in each.where.items()],
            errors=each.wrong,
            chance=each.chance_below,
            is_thin=each.is_thin,
        )
        for each in found
    ]
    return Slices(
        about=about,
        bar=found.bar if math.isfinite(found.bar) else None,
        searched=found.searched,
        fdr=found.fdr,
        slices=slices,
        remarks=[] if slices else [_no_slice(found)],
    )


def _no_slice(found: WeakSlices) -> str:
    if not found.searched:
        return "No slice has enough pool rows to be judged."
    weaker = f"below {found.bar:.1%}" if 0.0 < found.bar < 1.0 else "weaker than the whole"
    return (
        f"No slice is clearly {weaker}; {found.searched:,} were checked. More labels may show "
        "more."
    )


def heat_view(about: About, surface: AccuracySurface, query: HeatQuery) -> Heat:
    """Return the accuracy by two attributes; by default those whose values differ most.

    Raises
    ------
    InputError
        If an attribute is unknown, or both are the same.
    """
    selection = Selection.of(query, surface)
    if len(surface.space.names) < 2:
        return Heat(about=about, remarks=[_ONE_ATTRIBUTE])
    down, across = _two_attributes(surface, query.rows, query.columns)
    table = averages_by(surface, (down, across), surface.mass(selection.where, selection.mix))
    row_of, column_of = surface.space.attribute(down), surface.space.attribute(across)
    boxes = [
        Box(row=row_of.code(r[down]), column=column_of.code(r[across]), **_numbers(r))
        for r in table.iter_rows(named=True)
    ]
    axes = {axis.name: axis for axis in axes_of(surface.space)}
    return Heat(
        about=about,
        asked=str(selection),
        rows=axes[down],
        columns=axes[across],
        average=numbers(selection.average(surface)),
        boxes=boxes,
        remarks=[*selection.remarks, *([] if boxes else [_NO_ROWS])],
    )


def arms_view(about: About, surface: AccuracySurface, query: ArmsQuery) -> Arms:
    """Return the arms that match, sorted; ties by mean, then as listed.

    Raises
    ------
    UnknownNameError
        If ``sort`` or ``status`` is unknown.
    """
    selection, status = Selection.of(query, surface), query.status
    if status and status not in (*STATUSES, _ANY):
        raise UnknownNameError("status", status, (*STATUSES, _ANY))
    is_match = rows_that_match(surface, selection.where, query.search)
    if status in STATUSES:
        is_match &= surface.status == STATUSES.index(status)
    elif not status:
        is_match &= surface.support > 0.0
    key = (1 if query.order == "ascending" else -1) * _sort_keys(surface, query.sort)
    listed = np.flatnonzero(is_match)
    ranked = listed[np.lexsort((surface.mean[listed], key[listed]))]
    return Arms(
        about=about,
        asked=str(selection),
        found=int(listed.size),
        all=int(surface.arms.size),
        offset=query.part.start,
        arms=_arms(surface, ranked[query.part]),
        remarks=[] if listed.size else ["No arm matches. Remove a filter or a word."],
    )


def worst_view(about: About, surface: AccuracySurface, query: WorstQuery) -> Worst:
    """Return the worst of the selected arms, as ``AccuracySurface.worst`` does."""
    selection = Selection.of(query, surface)
    ranked = surface.worst_first(query.by)
    is_match = rows_that_match(surface, selection.where)
    kept = ranked[is_match[ranked]][: query.count]
    return Worst(
        about=about,
        asked=str(selection),
        by=query.by,
        arms=_arms(surface, kept),
        remarks=[] if kept.size else [_NO_ROWS],
    )


def marginals_view(about: About, surface: AccuracySurface, query: MarginalsQuery) -> Marginals:
    """Return the accuracy by one attribute at a time, on one shared axis.

    The most telling attribute comes first, and of its values the least accurate one; values with
    an order of their own keep it.
    """
    selection = Selection.of(query, surface)
    axes, found = {axis.name: axis for axis in axes_of(surface.space)}, []
    for axis in (axes[name] for name in most_telling(surface)):
        table = averages_by(surface, (axis.name,), surface.mass(selection.where, selection.mix))
        rows = [
            Value(value=as_text(r[axis.name]), **_numbers(r)) for r in table.iter_rows(named=True)
        ]
        if surface.space.attribute(axis.name).kind == "categorical":
            rows.sort(key=lambda row: row.mean)
        found.append(Marginal(name=axis.name, rows=rows))
    ends = [(row.lower, row.upper) for marginal in found for row in marginal.rows]
    low, high = _zoomed(ends) if query.zoom == "data" and ends else (0.0, 1.0)
    return Marginals(
        about=about,
        asked=str(selection),
        average=numbers(selection.average(surface)),
        low=low,
        high=high,
        marginals=found,
        remarks=[*selection.remarks, *([] if ends else [_NO_ROWS])],
    )


def rows_that_match(
    surface: AccuracySurface, where: Mapping[str, object], search: str = ""
) -> BoolArray:
    """Return which listed arms have the selected values and all searched words, (A,)."""
    is_match = np.asarray(surface.space.matches(surface.arms, where), dtype=bool)
    for word in search.lower().split():
        is_match &= _arms_with(surface, word)
    return is_match


def _arms_with(surface: AccuracySurface, word: str) -> BoolArray:
    """Return which listed arms have a word in an attribute or its value, (A,)."""
    codes = surface.space.codes(surface.arms)
    found = np.zeros(surface.arms.shape, dtype=bool)
    for k, attribute in enumerate(surface.space.attributes):
        named = [word in f"{attribute.name} {as_text(v)}".lower() for v in attribute.values]
        found |= np.asarray(named)[codes[:, k]]
    return found


def arm_values(surface: AccuracySurface, listed: IntArray) -> list[list[str]]:
    """Return the values of the arms at these positions as texts."""
    codes = surface.space.codes(surface.arms[listed])
    texts = [axis.values for axis in axes_of(surface.space)]
    return [[texts[k][code] for k, code in enumerate(row)] for row in codes.tolist()]


def _two_attributes(
    surface: AccuracySurface, rows: str | None, columns: str | None
) -> tuple[str, str]:
    for name in (rows, columns):
        if name is not None:
            surface.space.attribute(name)
    if rows is not None and rows == columns:
        raise InputError(f"rows and columns must be two attributes; got {rows!r} twice.")
    if rows is not None and columns is not None:
        return rows, columns
    if rows is None and columns is None:
        return telling_pair(surface)
    other = next(name for name in most_telling(surface) if name not in (rows, columns))
    return (other, columns) if columns is not None else (rows or other, other)


def _sort_keys(surface: AccuracySurface, sort: str) -> FloatArray:
    """Return the sort key of each listed arm, (A,)."""
    keys: dict[str, FloatArray] = {name: getattr(surface, name) for name in NUMBERS}
    keys["width"] = surface.upper - surface.lower
    keys["errors"] = surface.support * (1.0 - surface.mean)
    keys["status"] = surface.status.astype(np.float64)
    if sort in keys:
        return keys[sort]
    if sort not in surface.space.names:
        raise UnknownNameError("sort", sort, (*keys, *surface.space.names))
    codes = surface.space.codes(surface.arms)[:, surface.space.names.index(sort)]
    return codes.astype(np.float64)


def _arms(surface: AccuracySurface, listed: IntArray) -> list[Arm]:
    status, said = surface.status, rows_right(surface, listed)
    return [
        Arm(
            arm=int(surface.arms[i]),
            values=values,
            **{name: float(getattr(surface, name)[i]) for name in (*NUMBERS, "sd", "correct")},
            errors=float(surface.support[i] * (1.0 - surface.mean[i])),
            status=STATUSES[status[i]],
            in_rows=in_rows,
        )
        for i, values, in_rows in zip(
            listed.tolist(), arm_values(surface, listed), said, strict=True
        )
    ]


def _numbers(row: Mapping[str, float]) -> dict[str, float]:
    return {name: row[name] for name in NUMBERS}


def _zoomed(ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the ends of an axis that covers all intervals, at round numbers."""
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    step = next((s for s in _STEPS if (high - low) / s <= _MOST_STEPS - 2), _STEPS[-1])
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    if first == last:
        first, last = first - 1, last + 1
    return max(round(first * step, 2), 0.0), min(round(last * step, 2), 1.0)
