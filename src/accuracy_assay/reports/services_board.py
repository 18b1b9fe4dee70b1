"""The services beside the one that a page is about: all in order, and by the values of attributes.

It is drawn as the heat maps of pages are: blue above the mean of all, orange below, the paler the
wider the interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

__all__ = ["MOST_VALUES", "ServicesBoard", "services_section"]

MOST_VALUES = 40
"""Most values of an attribute beside each other: more would not fit on a page."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ServicesBoard:
    """Services side by side.

    Parameters
    ----------
    board
        A row per service, the best first, as `Comparison.to_frame` has them.
    by
        By attribute, a row per value and service, as `Comparison.by` has them.
    """

    board: Sequence[Row]
    by: Mapping[str, Sequence[Row]]


def services_section(known: ServicesBoard | None, service: str) -> dict[str, Any] | None:
    """Return what the page says of services side by side; None without any others."""
    if known is None:
        return None
    accuracies = [row["accuracy"] for row in known.board]
    middle = sum(accuracies) / len(accuracies)
    order = [row["service"] for row in known.board]
    return {
        "best": known.board[0],
        "rows": [{**row, "is_own": row["service"] == service} for row in known.board],
        "has_prices": "price" in known.board[0],
        "tables": [_table(name, rows, order, middle) for name, rows in known.by.items()],
    }


def _table(
    attribute: str, rows: Sequence[Row], order: Sequence[str], middle: float
) -> dict[str, Any]:
    """Return one attribute's values and, for each service in order, its boxes."""
    values = list(dict.fromkeys(row[attribute] for row in rows))
    at = {(row["service"], row[attribute]): {**row, "css": _tint(row, middle)} for row in rows}
    lines = [{"service": name, "boxes": [at[name, value] for value in values]} for name in order]
    return {"attribute": attribute, "values": values, "rows": lines}


def _tint(row: Row, middle: float) -> str:
    """Return the colour of a box, as ``drawing.js`` has it."""
    mean, width = row["accuracy"], row["upper"] - row["lower"]
    reach = middle if mean < middle else 1.0 - middle
    distance = abs(mean - middle) / reach if reach > 0.0 else 0.0
    share = round(60.0 * min(1.0, sqrt(distance)) * max(0.0, 1.0 - width))
    kind = "bad" if mean < middle else "good"
    return f"color-mix(in oklab, var(--{kind}) {share}%, transparent)"
