"""Services as a board: ranks with their intervals, who is tied with whom, values side by side.

Notation: k services, S joint draws of their accuracies for one question.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.runtime.number_text import points_text

__all__ = ["board_text", "rank_ends", "unsettled"]

_NAMES = 3
"""Most services that a line of text names as tied."""


def rank_ends(chances: FloatArray, level: float) -> tuple[IntArray, IntArray]:
    """Return the first and the last rank of each service's central interval, from 1, (k,) each.

    ``chances`` (k, k) is the probability of each rank.

    Examples
    --------
    >>> rank_ends(np.array([[0.96, 0.04, 0.0], [0.04, 0.5, 0.46], [0.0, 0.46, 0.54]]), 0.9)
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    tail = (1.0 - level) / 2.0
    below = np.cumsum(chances, axis=1)
    first = (below > tail).argmax(axis=1)
    last = (below >= 1.0 - tail - 1e-12).argmax(axis=1)
    return first + 1, np.maximum(last, first) + 1


def unsettled(draws: FloatArray, level: float) -> BoolArray:
    """Return which pairs of services have no sure order, (k, k), given joint draws (S, k).

    Neither is the better one with at least the probability ``level``. A service is not tied with
    itself.
    """
    k = draws.shape[1]
    found = np.zeros((k, k), dtype=bool)
    for s in range(k):
        apart = draws - draws[:, s : s + 1]
        better = (0.5 + 0.5 * np.sign(apart)).mean(axis=0)
        found[s] = (better < level) & (better > 1.0 - level)
    np.fill_diagonal(found, val=False)
    return found


def board_text(table: pl.DataFrame, about: str) -> str:
    """Return a board as lines of text, the best service first."""
    rows = [_line(row) for row in table.iter_rows(named=True)]
    head = ("rank", "service", "accuracy", "interval", "points behind", "best", "tied with")
    priced = "price" in table.columns
    lines = [(*head, "price") if priced else head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return f"{text}\nAccuracies are {about}."


def _line(row: dict[str, object]) -> tuple[str, ...]:
    first, last = row["rank_lower"], row["rank_upper"]
    behind = (row["behind"], row["behind_lower"], row["behind_upper"])
    middle, low, high = (points_text(float(str(value))) for value in behind)
    cells = (
        f"{row['rank']} ({first} to {last})" if first != last else f"{row['rank']}",
        str(row["service"]),
        f"{row['accuracy']:.1%}",
        f"{row['lower']:.1%} to {row['upper']:.1%}",
        "" if row["rank"] == 1 else f"{middle} ({low} to {high})",
        f"{row['probability_best']:.0%}",
        _named(row["tied_with"]),  # type: ignore[arg-type]
    )
    return (*cells, f"{row['price']:g}") if "price" in row else cells


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more
