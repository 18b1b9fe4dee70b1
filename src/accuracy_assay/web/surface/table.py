"""The views of a surface as CSV: one row per box, arm, value, instance or number of labels.

Spreadsheets execute cells starting with ``=`` and the like. People write labels, so such a text
gets an apostrophe in front, which spreadsheets hide; numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
from functools import singledispatch

from accuracy_assay.files.formulas import guarded
from accuracy_assay.web.surface.values import (
    NUMBERS,
    Arms,
    Attributes,
    Compare,
    Heat,
    Instances,
    Judge,
    Marginals,
    Numbers,
    Progress,
    Slice,
    Slices,
    Then,
    Time,
    View,
    Worst,
)

__all__ = ["Table", "csv_of", "slice_words", "table_of"]

Table = tuple[list[str], list[list[object]]]
"""Column names and rows."""

_ARM = ("n", "correct", "support", "mean", "sd", "lower", "upper", "status", "in_rows")
_DIFFERENCE = ("difference", "lower", "upper", "probability", "n", "support")


def csv_of(view: View) -> bytes:
    """Return a view as CSV in UTF-8."""
    names, rows = table_of(view)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([guarded(name) for name in names])
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


@singledispatch
def table_of(view: View) -> Table:
    """Return a view as a table."""
    raise TypeError(f"a view must have a table; got {type(view).__name__}.")


@table_of.register(Heat)
def _of_heat(view: Heat) -> Table:
    if view.rows is None or view.columns is None:
        return [*NUMBERS], []
    down, across = view.rows, view.columns
    rows = [[down.values[b.row], across.values[b.column], *_numbers(b)] for b in view.boxes]
    return [down.name, across.name, *NUMBERS], rows


@table_of.register(Arms)
@table_of.register(Worst)
def _of_arms(view: Arms | Worst) -> Table:
    rows: list[list[object]] = [
        [*arm.values, *(getattr(arm, name) for name in _ARM)] for arm in view.arms
    ]
    return [*(axis.name for axis in view.about.attributes), *_ARM], rows


@table_of.register(Slices)
def _of_slices(view: Slices) -> Table:
    more = ("chance", "errors", "is_thin")
    rows: list[list[object]] = [
        [slice_words(each), *_numbers(each), *(getattr(each, name) for name in more)]
        for each in view.slices
    ]
    return ["slice", *NUMBERS, "chance_below", "wrong", "is_thin"], rows


@table_of.register(Marginals)
def _of_marginals(view: Marginals) -> Table:
    rows: list[list[object]] = [
        [part.name, row.value, *_numbers(row)] for part in view.marginals for row in part.rows
    ]
    return ["attribute", "value", *NUMBERS], rows


@table_of.register(Attributes)
def _of_attributes(view: Attributes) -> Table:
    names = ("share", "lower", "upper", "spread", "beyond", "finding")
    rows: list[list[object]] = [
        [" x ".join(each.names), *(getattr(each, name) for name in names)]
        for each in (*view.attributes, *view.pairs)
    ]
    return ["attribute", *names], rows


@table_of.register(Judge)
def _of_judge(view: Judge) -> Table:
    names = [
        "place",
        "verdict",
        "because",
        "judge",
        "people",
        "difference",
        "lower",
        "upper",
        "labels",
        "rows",
        "needed",
    ]
    rows: list[list[object]] = [
        ["" if (cell := getattr(each, name)) is None else cell for name in names]
        for each in view.slices
    ]
    return ["slice", *names[1:]], rows


@table_of.register(Instances)
def _of_instances(view: Instances) -> Table:
    services = view.services or view.about.services
    names = ["id", "chance", *view.shown, "label", "votes"]
    names += [f"{what} of {s}" for s in services for what in ("answer", "score")]
    rows: list[list[object]] = []
    for instance in view.instances:
        votes = ", ".join(f"{label}: {n}" for label, n in instance.votes.items())
        row: list[object] = [instance.id, instance.chance]
        row += [instance.shown.get(column, "") for column in view.shown]
        row += ["" if instance.label is None else instance.label, votes]
        for service in services:
            said = instance.answers.get(service)
            row += ["", ""] if said is None else [said.answer, said.score]
        rows.append(row)
    return names, rows


@table_of.register(Progress)
def _of_progress(view: Progress) -> Table:
    parts = {"so far": view.points, "forecast": view.ahead}
    rows: list[list[object]] = [
        [
            part,
            p.labels,
            p.error,
            p.typical,
            *("" if x is None else x for x in (p.overall, p.slice)),
        ]
        for part, points in parts.items()
        for p in points
    ]
    return ["part", "labels", "expected_error", "typical", "overall", "slice"], rows


@table_of.register(Then)
def _of_then(view: Then) -> Table:
    names = [f"{which}_{name}" for which in ("then", "now") for name in NUMBERS]
    rows: list[list[object]] = [
        [change.attribute, change.value, *_sides(change.then), *_sides(change.now)]
        for change in view.changes
    ]
    return ["attribute", "value", *names], rows


@table_of.register(Time)
def _of_time(view: Time) -> Table:
    names = ["time", "mean", "lower", "upper", "labels", "is_baseline"]
    rows: list[list[object]] = [
        [curve.name, *(getattr(stretch, name) for name in names)]
        for curve in view.curves
        for stretch in curve.stretches
    ]
    return ["slice", *names], rows


@table_of.register(Compare)
def _of_compare(view: Compare) -> Table:
    names = [axis.name for axis in view.about.attributes]
    both = [f"accuracy of {view.first}", f"accuracy of {view.second}"]
    rows: list[list[object]] = [
        [*arm.values, arm.first, arm.second, *(getattr(arm, name) for name in _DIFFERENCE)]
        for arm in view.arms
    ]
    return [*names, *both, *_DIFFERENCE], rows


def _sides(found: Numbers | None) -> list[object]:
    return [""] * len(NUMBERS) if found is None else _numbers(found)


def slice_words(each: Slice) -> str:
    """Return a slice in words."""
    return " and ".join(f"{name} = {value}" for name, value in each.conditions)


def _numbers(row: Numbers) -> list[object]:
    return [getattr(row, name) for name in NUMBERS]
