"""A comparison of many services as one HTML page that stands alone: sort, search, pick."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accuracy_assay.files.whole_file import write_whole
from accuracy_assay.reports.axis import axis_of
from accuracy_assay.reports.standalone import content_policy, page_templates, template_text
from accuracy_assay.runtime.version import __version__

__all__ = ["BoardReport", "render_board", "write_board_page"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class BoardReport:
    """What the page shows, as plain values.

    Parameters
    ----------
    title
        Headline of the page.
    about
        What accuracies are about, such as "of these 3,000 rows".
    remarks
        How differences are judged, and what became of rows without an answer.
    level
        Probability of the intervals.
    board
        A row per service, the best first, as `Comparison.to_frame` has them.
    by
        By attribute, a row per value and service, as `Comparison.by` has them.
    arms
        A row per arm with its best service, as `Comparison.best_per_arm` has them.
    left_out
        Attributes with too many values for a table.
    """

    title: str
    about: str
    remarks: Sequence[str]
    level: float
    board: Sequence[Row]
    by: Mapping[str, Sequence[Row]]
    arms: Sequence[Row]
    left_out: Sequence[str] = ()

    @property
    def has_prices(self) -> bool:
        """Whether what an answer costs is known."""
        return "price" in self.board[0]

    @property
    def labels(self) -> float | None:
        """How many labels every service has; None if some have more than others."""
        first: float = self.board[0]["labels"]
        return first if all(row["labels"] == first for row in self.board) else None


def write_board_page(report: BoardReport, path: str | Path) -> Path:
    """Write the page to a file and return its path."""
    target = Path(path)
    write_whole(target, render_board(report), "page")
    return target


def render_board(report: BoardReport) -> str:
    """Return the page as HTML."""
    style = template_text("page.css") + template_text("board.css")
    script = template_text("drawing.js") + template_text("board.js")
    best = report.board[0]
    return (
        page_templates()
        .get_template("board.html")
        .render(
            report=report,
            best=best,
            data=_data(report),
            version=__version__,
            style=style,
            script=script,
            policy=content_policy(style, script),
        )
    )


def _data(report: BoardReport) -> dict[str, Any]:
    """Return what the page's script draws."""
    axis = axis_of([row[end] for row in report.board for end in ("lower", "upper")])
    accuracies = [row["accuracy"] for row in report.board]
    return {
        "level": report.level,
        "has_prices": report.has_prices,
        "labels_differ": report.labels is None,
        "middle": sum(accuracies) / len(accuracies),
        "axis": {"low": axis.low, "high": axis.high},
        "board": [dict(row) for row in report.board],
        "by": [_by(attribute, rows) for attribute, rows in report.by.items()],
        "attributes": list(report.by) + list(report.left_out),
        "arms": [dict(row) for row in report.arms],
    }


def _by(attribute: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the values of an attribute, and the rows of each by the name of the service."""
    values: dict[str, dict[str, Any]] = {}
    for row in rows:
        of_value = values.setdefault(row[attribute], {})
        names = ("accuracy", "lower", "upper", "rank", "behind", "is_sure")
        of_value[row["service"]] = {name: row[name] for name in names}
    shown = [{"value": value, "services": of_value} for value, of_value in values.items()]
    return {"attribute": attribute, "values": shown}
