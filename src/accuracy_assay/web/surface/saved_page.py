"""A view of a surface as one HTML page that stands alone: its sentence, picture and table."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

from jinja2 import Environment, PackageLoader, StrictUndefined

from accuracy_assay.reports.standalone import content_policy, template_text
from accuracy_assay.runtime.version import __version__
from accuracy_assay.web.surface.pictures import png_of
from accuracy_assay.web.surface.table import table_of
from accuracy_assay.web.surface.values import View

__all__ = ["html_of"]

_MOST_ROWS = 2_000
"""Rows of the table: more make a page that no browser scrolls well. CSV has them all."""


def html_of(view: View, title: str) -> bytes:
    """Return a view as a page, in UTF-8; it loads nothing."""
    names, rows = table_of(view)
    style = template_text("page.css")
    environment = Environment(
        loader=PackageLoader("accuracy_assay.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    page = environment.get_template("saved.html").render(
        view=view,
        title=title,
        picture=base64.b64encode(png_of(view)).decode(),
        names=names,
        rows=[[_cell(cell) for cell in row] for row in rows[:_MOST_ROWS]],
        n_left_out=max(len(rows) - _MOST_ROWS, 0),
        saved=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        version=__version__,
        style=style,
        policy=content_policy(style, ""),
    )
    return page.encode("utf-8", "replace")


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
