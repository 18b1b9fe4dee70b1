"""Services side by side as plain values: all in order, and two of them by value and by arm."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import as_text
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.differences import Differences
from accuracy_assay.web.surface.board_view import board_attribute, places_of, value_places
from accuracy_assay.web.surface.queries import CompareQuery, CompareSort
from accuracy_assay.web.surface.selection import Selection
from accuracy_assay.web.surface.values import (
    About,
    ArmDifference,
    Compare,
    Difference,
    ValueDifference,
)
from accuracy_assay.web.surface.views import arm_values, rows_that_match

__all__ = ["compare_view"]


def compare_view(about: About, comparison: Comparison, query: CompareQuery) -> Compare:
    """Return the services in order, and where the first of two, by default the best, is better.

    Raises
    ------
    InputError
        If a service is unknown, or both are the same.
    """
    surface = next(iter(comparison.surfaces.values()))
    selection = Selection.of(query, surface)
    mass = selection.mass(surface)
    if not mass.sum() > 0.0:
        return Compare(about=about, remarks=["No pool row matches."])
    asked = dataclasses.replace(comparison, weight=mass / mass.sum())
    first, second = _two_services(asked, query.first, query.second)
    between = asked.between(first, second)
    by = board_attribute(asked, query.by)
    columns = _columns(surface, between)
    key = (1 if query.order == "ascending" else -1) * columns[query.sort]
    is_match = rows_that_match(surface, selection.where, query.search) & (surface.support > 0.0)
    listed = np.flatnonzero(is_match)
    shown = listed[np.argsort(key[listed], kind="stable")][query.part]
    accuracies = [asked.surfaces[name].mean for name in (first, second)]
    return Compare(
        about=about,
        asked=str(selection),
        labels=surface.n_labels,
        places=places_of(asked),
        open_difference=asked.open_difference,
        by=by or "",
        value_places=[] if by is None else value_places(asked, by),
        first=first,
        second=second,
        pair=_averages(surface, between, [mass])[0],
        values=_by_value(surface, between, mass),
        found=int(listed.size),
        offset=query.part.start,
        arms=[
            ArmDifference(
                arm=int(surface.arms[i]),
                values=values,
                first=float(accuracies[0][i]),
                second=float(accuracies[1][i]),
                **{name: float(column[i]) for name, column in columns.items()},
            )
            for i, values in zip(shown.tolist(), arm_values(surface, shown), strict=True)
        ],
        remarks=list(selection.remarks),
    )


def _two_services(
    comparison: Comparison, first: str | None, second: str | None
) -> tuple[str, str]:
    for name in (first, second):
        if name is not None and name not in comparison.names:
            raise UnknownNameError("service", name, comparison.names)
    if first is not None and first == second:
        raise InputError(f"two services must be compared; got {first!r} twice.")
    others = [place.name for place in comparison if place.name not in (first, second)]
    one = others.pop(0) if first is None else first
    return one, others.pop(0) if second is None else second


def _by_value(
    surface: AccuracySurface, between: Differences, mass: FloatArray
) -> list[ValueDifference]:
    """Return the difference at each value of each attribute."""
    codes = surface.space.codes(surface.arms)
    names, parts = [], []
    for k, attribute in enumerate(surface.space.attributes):
        for code, value in enumerate(attribute.values):
            part = np.where(codes[:, k] == code, mass, 0.0)
            if part.sum() > 0.0:
                names.append((attribute.name, as_text(value)))
                parts.append(part)
    return [
        ValueDifference(attribute=attribute, value=value, **each.model_dump())
        for (attribute, value), each in zip(names, _averages(surface, between, parts), strict=True)
    ]


def _averages(
    surface: AccuracySurface, between: Differences, masses: Sequence[FloatArray]
) -> list[Difference]:
    """Return the differences averaged over arms, one for each mass, (A,)."""
    found = between.over_each(np.stack([mass / mass.sum() for mass in masses]))
    return [
        Difference(
            difference=each.mean,
            lower=each.lower,
            upper=each.upper,
            probability=each.probability,
            n=float(surface.n[mass > 0.0].sum()),
            support=float(surface.support[mass > 0.0].sum()),
        )
        for each, mass in zip(found, masses, strict=True)
    ]


def _columns(surface: AccuracySurface, between: Differences) -> dict[CompareSort, FloatArray]:
    """Return the difference in each listed arm, (A,) each."""
    lower, upper = between.interval
    return {
        "difference": between.mean,
        "lower": lower,
        "upper": upper,
        "probability": between.probability,
        "n": surface.n,
        "support": surface.support,
    }
