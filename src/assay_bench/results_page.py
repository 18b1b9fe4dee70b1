"""The page of results: sections with tables and figures as Markdown, made by the benchmark.

Figures are copied beside the page, into ``assets/results``, and stand above the tables. Folded
tables are HTML, which readers of Markdown show as it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from accuracy_assay.files.whole_file import write_whole

__all__ = ["Section", "Table", "write_page"]

_FIGURES = "assets/results"
_INTRODUCTION = (
    "The paper's own figures stand beside, marked as the paper's. Errors are mean squared errors "
    "times 100, mean ± standard deviation over seeds: *macro* over all arms with at least five "
    "rows, *worst* over the 50 least accurate of them, *micro* weighted by rows, *infrequent* "
    "over the 50 rarest. *Floor* is the noise of the gold itself; labels of the pool's own rows "
    "may lead below it. Bands in figures are one standard error of the mean. Seconds are of the "
    "clock, other work of the machine included; [speed](speed.md) has those of an idle one."
)


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

    def markdown(self) -> str:
        """Return the table as Markdown; the first column is to the left, numbers to the right."""
        if self.is_folded:
            return self._html()
        rule = ("---", *("---:" for _ in self.columns[1:]))
        lines = [self.columns, rule, *self.rows]
        body = "\n".join(f"| {' | '.join(map(_escape, line))} |" for line in lines)
        return f"**{self.title}**\n\n{body}"

    def _html(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = [
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows
        ]
        lines = (f"<tr>{head}</tr>", *rows)
        title = f"<details><summary>{escape(self.title)}</summary>"
        return "\n".join((title, "<table>", *lines, "</table>", "</details>"))


@dataclass(frozen=True, slots=True)
class Section:
    """One experiment on the page: words, tables, figures."""

    title: str
    text: str
    tables: Sequence[Table] = ()
    figures: Sequence[Path] = ()


def write_page(
    path: Path,
    command: str,
    machine: Mapping[str, str],
    sections: Sequence[Section],
    title: str = "Results",
    introduction: str = _INTRODUCTION,
) -> None:
    """Write the page to ``path`` and its figures beside it."""
    folder = path.parent / _FIGURES
    parts = [
        f"# {title}",
        f"Made by `{command}`; no figure on this page is typed in by hand.",
        introduction,
        Table("The run", ("", "value"), list(machine.items())).markdown(),
    ]
    for section in sections:
        parts += [f"## {section.title}", section.text]
        for figure in section.figures:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(figure, folder / figure.name)
            parts.append(f"![{figure.stem}]({_FIGURES}/{figure.name})")
        parts += [table.markdown() for table in section.tables]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "\n\n".join(filter(None, parts)) + "\n", "results page")


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
