"""The page of results: sections with words, figures and tables, by a template.

``templates/`` holds every sentence, and `findings` and `tables` the values: ``section`` is one
benchmark, ``results`` the page, ``coverage`` the same with another introduction, ``words`` what a
section says. A folder of results keeps the section that was made last of each benchmark, so that
a page can be put together from several commands. Figures are copied beside the page, into
``assets/results``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Section", "Table", "save_section", "write_page"]

_ASSETS = "assets/results"
_ENDING = ".section.md"


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
        What follows them; figures lie in the folder of the results.
    command, origin
        What made it: as the user types it, and which code and when.
    """

    title: str
    kind: str
    found: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    figures: Sequence[Path] = ()
    command: str = ""
    origin: str = ""

    @property
    def words(self) -> str:
        """The words alone, as the terminal shows them."""
        return _render("words", section=self)


def save_section(section: Section, name: str, folder: Path) -> None:
    """Keep the section of the benchmark ``name`` in the folder of its results."""
    text = _render("section", section=section, assets=_ASSETS)
    (folder / f"{name}{_ENDING}").write_text(text + "\n", encoding="utf-8")


def write_page(
    path: Path,
    folder: Path,
    names: Iterable[str],
    machine: Mapping[str, str],
    template: str = "results",
) -> None:
    """Write those sections of ``names`` that ``folder`` keeps to ``path``, with their figures."""
    kept = (folder / f"{name}{_ENDING}" for name in names)
    sections = [file.read_text(encoding="utf-8").strip() for file in kept if file.is_file()]
    assets = path.parent / _ASSETS
    assets.mkdir(parents=True, exist_ok=True)
    for figure in re.findall(rf"]\({_ASSETS}/([^)]+)\)", "\n".join(sections)):
        shutil.copyfile(folder / figure, assets / figure)
    table = Table("The machine", ("", "value"), list(machine.items()))
    text = _render(template, machine=table, sections=sections)
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
