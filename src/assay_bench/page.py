"""The page of results: sections with words, figures and tables, by a template.

``templates/`` holds every sentence, and `findings` and `tables` the values: ``results`` is the
page, ``coverage`` the same with another introduction, ``words`` what a section says. Figures are
copied beside the page, into ``assets/results``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Section", "Table", "write_page"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what it shows, its columns and its rows as text.

    Parameters
    ----------
    title, columns, rows
        What is shown.
    is_folded
        Whether it opens on a click, on the page.
    is_for_page
        Whether it is left out at the terminal.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    is_folded: bool = False
    is_for_page: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One experiment on the page.

    Parameters
    ----------
    title, kind
        What stands above it, and which words of the template are its own.
    found
        What these words tell, by name.
    tables, figures
        What follows them.
    """

    title: str
    kind: str
    found: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    figures: Sequence[Path] = ()

    @property
    def words(self) -> str:
        """The words alone, as the terminal shows them."""
        return _render("words", section=self)


def write_page(
    path: Path,
    command: str,
    machine: Mapping[str, str],
    sections: Sequence[Section],
    template: str = "results",
) -> None:
    """Write the page to ``path`` and its figures beside it."""
    folder = path.parent / "assets/results"
    folder.mkdir(parents=True, exist_ok=True)
    for section in sections:
        for figure in section.figures:
            shutil.copyfile(figure, folder / figure.name)
    run = Table("The run", ("", "value"), list(machine.items()))
    text = _render(template, command=command, run=run, sections=sections)
    path.write_text(text + "\n", encoding="utf-8")


def _render(template: str, **values: object) -> str:
    """Return Markdown with one empty line between paragraphs and none at its ends."""
    text = _templates().get_template(f"{template}.md.jinja").render(values)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("assay_bench"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
