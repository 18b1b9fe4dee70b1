"""``OverTime``: what a report says of a service over time, beside the surface."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from accuracy_assay.domain.averages import Estimate
from accuracy_assay.reports.fonts import draw_every_script
from accuracy_assay.reports.watch_picture import Panel, Versions, draw_watch

__all__ = ["OverTime"]

_DPI = 110
"""Of a picture inside a page, where every pixel adds to its size."""


@dataclass(frozen=True)
class OverTime:
    """A watch in a report.

    Parameters
    ----------
    says
        Its verdict in one sentence.
    now
        The overall accuracy as it is now, None if it is not known.
    panels, versions
        What its picture shows.
    changes
        Rows of alarms, then of gains: slice, before, now, lower, upper, since, time, is_gain.
    remarks
        What to know about it, in words.
    """

    says: str
    now: Estimate | None
    panels: Sequence[Panel]
    versions: Versions
    changes: Sequence[Mapping[str, Any]]
    remarks: Sequence[str]

    @property
    def png(self) -> str:
        """The picture as base64 text of a PNG."""
        figure, buffer = draw_watch(self.panels, "", self.versions), BytesIO()
        draw_every_script(figure)
        figure.savefig(buffer, format="png", dpi=_DPI, facecolor="white")
        return b64encode(buffer.getvalue()).decode()
