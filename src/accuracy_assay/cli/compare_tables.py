"""A comparison as tables of texts: the board, services by an attribute's values, best per arm.

A terminal is often 80 columns wide, so each table is made as wide as there is room for: of the
board the less important columns go first, and values of an attribute go on in further tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from accuracy_assay.runtime.number_text import points_text

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from accuracy_assay.domain.missing_answers import MissingAnswers
    from accuracy_assay.study.compare.comparison import Comparison

__all__ = [
    "Cells",
    "arms_cells",
    "board_cells",
    "board_table",
    "by_cells",
    "by_tables",
    "by_words",
    "missing_answers",
]

Cells = tuple[list[str], list[list[str]]]
"""The head of a table and its rows."""

_MOST_SERVICES = 10
"""Most services by value in a terminal; JSON and the page have all."""
_UNBOUND = 10_000
"""A width that no terminal has."""
_HEAD = 11
"""Widest line of a value's name above its column."""


@dataclass(frozen=True)
class _Detail:
    """How much a board says: names of tied services, labels, and intervals in full."""

    names: int = 2
    has_labels: bool = True
    is_full: bool = True


_DETAILS = (
    _Detail(),
    _Detail(has_labels=False),
    _Detail(names=1, has_labels=False),
    _Detail(names=0, has_labels=False),
    _Detail(names=0, has_labels=False, is_full=False),
)


def board_table(found: Comparison, console: Console) -> Table:
    """Return the board with as much detail as the console is wide."""
    for detail in _DETAILS:
        table = _fixed_table(*board_cells(found, detail), foldable="service")
        if _width(table, console) <= console.width:
            break
    return table


def board_cells(found: Comparison, detail: _Detail = _DETAILS[0]) -> Cells:
    """Return the head and the cells of the board, best first."""
    missing, shown = missing_answers(found), _short_names(found)
    rows = []
    for place, row in zip(found, found.to_frame().iter_rows(named=True), strict=True):
        middle, *ends = (points_text(row[f"behind{end}"]) for end in ("", "_lower", "_upper"))
        between = f" ({' to '.join(ends)})" if detail.is_full else ""
        cells = [
            _rank(row["rank"], row["rank_lower"], row["rank_upper"]),
            shown[place.name],
            *_accuracy(row["accuracy"], row["lower"], row["upper"], detail),
            "" if row["rank"] == 1 else middle + between,
            f"{row['probability_best']:.0%}",
            _tied([shown[name] for name in row["tied_with"]], detail.names),
        ]
        cells += [f"{row['labels']:,.0f}"] * detail.has_labels
        cells += [f"{missing[place.name].rows:,}" if place.name in missing else "0"] * bool(
            missing
        )
        rows.append(cells + ([f"{place.price or 0.0:g}"] if found.prices else []))
    level = found[0].estimate.level
    head = ["rank", "service", "accuracy", f"{level:.0%} interval", "points behind", "best"]
    head += ["tied with"]
    if not detail.is_full:
        head = ["rank", "service", f"accuracy ({level:.0%})", "behind", "best", "tied"]
    head += ["labels"] * detail.has_labels + ["no answer"] * bool(missing)
    return head + ["price"] * bool(found.prices), rows


def by_cells(found: Comparison, by: pl.DataFrame) -> Cells:
    """Return the head and the cells of services by the values of an attribute."""
    attribute, shown = by.columns[0], _short_names(found)
    cells = {
        (row[attribute], row["service"]): f"{100 * row['accuracy']:.1f}"
        + ("*" if row["rank"] == 1 and row["is_sure"] else " ")
        for row in by.iter_rows(named=True)
    }
    values = list(dict.fromkeys(by.get_column(attribute).to_list()))
    rows = [
        [shown[place.name], *(cells[value, place.name] for value in values)]
        for place in found[:_MOST_SERVICES]
    ]
    return [attribute, *values], rows


def by_tables(found: Comparison, by: pl.DataFrame, console: Console) -> Iterator[Table]:
    """Yield tables of services by the values of an attribute, as wide as the console each."""
    head, rows = by_cells(found, by)
    start = 1
    while start < len(head):
        for end in range(len(head), start, -1):
            values = ["\n".join(wrap(value, _HEAD)) for value in head[start:end]]
            cells = [[row[0], *row[start:end]] for row in rows]
            table = _fixed_table([head[0], *values], cells, foldable=head[0])
            if _width(table, console) <= console.width:
                break
        yield table
        start = end


def arms_cells(found: Comparison, best: pl.DataFrame) -> Cells:
    """Return the head and the cells of the best service of each arm, the largest first."""
    names = found.space.names
    rows = []
    for row in best.sort("rows", descending=True).iter_rows(named=True):
        cells = [
            ", ".join(str(row[name]) for name in names),
            row["best"],
            f"{row['accuracy']:.1%}",
            f"{row['probability']:.0%}",
        ]
        if found.prices:
            cells += [row["choice"], f"{row['price']:g}", points_text(row["behind"])]
        rows.append([*cells, f"{row['labels']:,.0f}", f"{row['rows']:,.0f}"])
    columns = [", ".join(names), "best", "accuracy", "is the best"]
    if found.prices:
        columns += ["choice", "price", "points behind"]
    return [*columns, "labels", "rows"], rows


def missing_answers(found: Comparison) -> dict[str, MissingAnswers]:
    """Return what became of rows without an answer, by service; empty if there are none."""
    every = {name: surface.missing_answers for name, surface in found.surfaces.items()}
    return {name: missing for name, missing in every.items() if missing is not None}


def by_words(found: Comparison) -> str:
    """Return what the marks mean, and how many services are left out."""
    level, more = found[0].estimate.level, len(found) - _MOST_SERVICES
    left_out = (
        f" The first {_MOST_SERVICES} services; {more} more with --json." if more > 0 else ""
    )
    return f"* the best there with a probability of at least {level:.0%}." + left_out * (more > 0)


def _accuracy(mean: float, lower: float, upper: float, detail: _Detail) -> list[str]:
    if detail.is_full:
        return [f"{mean:.1%}", f"{100 * lower:.1f}–{100 * upper:.1f}"]
    return [f"{mean:.1%} ({100 * lower:.0f}–{100 * upper:.0f})"]


def _rank(rank: int, first: int, last: int) -> str:
    return f"{rank} ({first}–{last})" if first != last else f"{rank}"


def _tied(names: Sequence[str], most: int) -> str:
    """Return some of the names and how many more, or their number."""
    if not most:
        return f"{len(names)}" if names else ""
    more = f" + {len(names) - most}" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _short_names(found: Comparison) -> dict[str, str]:
    """Return the names of the services; files without their folders, if these stay different."""
    short = [Path(name).name for name in found.names]
    is_short = not found.is_paired and len(set(short)) == len(short)
    return dict(zip(found.names, short if is_short else found.names, strict=True))


def _width(table: Table, console: Console) -> int:
    """Return how wide a table is with every cell in one line."""
    return console.measure(table, options=console.options.update(max_width=_UNBOUND)).maximum


def _fixed_table(head: Sequence[str], rows: Sequence[Sequence[str]], foldable: str) -> Table:
    """Return a table in which only one column goes on in further lines where room is short."""
    from accuracy_assay.cli.console import text_table

    table = text_table(head, rows)
    for name, column in zip(head, table.columns, strict=True):
        column.no_wrap, column.overflow = name != foldable, "fold"
        if name in ("service", "tied with"):
            column.justify = "left"
    table.columns[0].justify = "left" if head[0] != "rank" else "right"
    return table
