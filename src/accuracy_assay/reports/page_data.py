"""The numbers of a page as plain JSON values, for its charts and its table of arms."""

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.most_telling import telling_pair
from accuracy_assay.domain.rows_right import rows_right
from accuracy_assay.domain.surface import STATUSES, AccuracySurface
from accuracy_assay.reports.axis import axis_of
from accuracy_assay.reports.report import Report

__all__ = ["page_data"]

_DIGITS = 4
"""Of a share: a hundredth of a per cent, finer than any picture shows."""


def page_data(report: Report, max_arms: int) -> dict[str, Any]:
    """Return what the page's script draws.

    Parameters
    ----------
    report
        The report.
    max_arms
        Most arms to list; where there are more, those with the lowest mean are listed (of a rate
        of errors the highest), arms of the pool first.

    Returns
    -------
    dict
        ``level``, ``measure``, ``is_error``, ``target`` and ``about`` (what the numbers are about,
        in words), ``overall``, ``statuses``, ``least_rows`` (of an arm
        among the dots), ``attributes``, ``arms`` (columns of equal length, unrounded, with
        ``place`` for their order in `AccuracySurface.to_frame`), ``pairs`` (accuracy by two
        attributes at a time), ``first_pair`` (the rows and columns to show first), the ends of
        the axes of both, and ``curves``.
    """
    surface = report.surface
    overall = report.overall
    arms, pairs = _arms(report, max_arms), _pairs(report)
    return {
        "level": surface.level,
        "measure": surface.measure,
        "is_error": surface.is_error,
        "target": overall.target,
        "about": overall.about,
        "overall": {f: _number(getattr(overall, f)) for f in ("mean", "lower", "upper")},
        "statuses": list(STATUSES),
        "least_rows": LEAST_ACTIVE_ROWS,
        "attributes": [
            {"name": a.name, "values": [str(v) for v in a.values]}
            for a in surface.space.attributes
        ],
        "arms": arms,
        "arms_axis": _ends([arms]),
        "first_pair": _first_pair(surface),
        "pairs": pairs,
        "pairs_axis": _ends(pairs),
        "curves": [_curve(name, frame) for name, frame in report.curves.items()],
    }


def _arms(report: Report, max_arms: int) -> dict[str, list[Any]]:
    surface = report.surface
    badness = -surface.mean if surface.is_error else surface.mean
    listed = np.lexsort((badness, surface.support <= 0.0))[:max_arms]
    columns: dict[str, list[Any]] = {
        name: getattr(surface, name)[listed].tolist()
        for name in ("n", "correct", "support", "mean", "sd", "lower", "upper")
    }
    columns["place"] = listed.tolist()
    columns["codes"] = surface.space.codes(surface.arms[listed]).tolist()
    columns["status"] = surface.status[listed].tolist()
    columns["in_rows"] = rows_right(surface, listed)
    columns["truth"] = _numbers(report.truth_by_arm()[listed])
    return columns


def _first_pair(surface: AccuracySurface) -> list[int]:
    names = surface.space.names
    return [names.index(name) for name in telling_pair(surface)] if len(names) > 1 else []


def _pairs(report: Report) -> list[dict[str, Any]]:
    space = report.surface.space
    pairs = []
    for i, j in combinations(range(len(space.names)), 2):
        names = (space.names[i], space.names[j])
        frame = averages_by(report.surface, names, report.surface.support)
        truth = report.truth_of(*names)
        if truth is not None:
            frame = frame.join(truth, on=names, how="left", maintain_order="left")
        pair: dict[str, Any] = {
            "of": [i, j],
            "codes": [
                [space.attribute(name).code(value) for name, value in zip(names, row, strict=True)]
                for row in frame.select(names).rows()
            ],
        }
        for column in ("mean", "lower", "upper", "n", "support", "truth"):
            if column in frame.columns:
                pair[column] = _numbers(frame.get_column(column).to_numpy())
        pairs.append(pair)
    return pairs


def _ends(columns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the axis that holds all intervals and truths of some tables."""
    known = [
        value
        for table in columns
        for name in ("lower", "upper", "truth")
        for value in table.get(name, ())
        if value is not None
    ]
    axis = axis_of(known)
    return {"low": axis.low, "high": axis.high, "ticks": axis.ticks}


def _curve(name: str, frame: pl.DataFrame) -> dict[str, Any]:
    numeric = [c for c in frame.columns if frame.schema[c].is_numeric() and c != "round"]
    return {"name": name} | {c: _numbers(frame.get_column(c).to_numpy()) for c in numeric}


def _numbers(values: ArrayLike) -> list[float | None]:
    return [_number(v) for v in np.asarray(values, np.float64).tolist()]


def _number(value: float) -> float | None:
    """Return the value rounded for a page, or None where it is not known."""
    return round(value, _DIGITS) if np.isfinite(value) else None
