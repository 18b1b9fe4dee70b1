"""Where text goes: results to the standard output, remarks and progress to the standard error.

Everything is printed literally: square brackets are not markup, ``:name:`` is not an emoji, and
control characters are written out (`runtime.visible_text`). Our own texts get their style from
`rich.text.Text`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import polars as pl
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from accuracy_assay.runtime.visible_text import visible_text

__all__ = [
    "LiteralConsole",
    "frame_table",
    "one_line",
    "print_json",
    "print_markdown",
    "refuse_two_formats",
    "remark",
    "remarks",
    "results",
    "steps",
    "text_table",
]

_WIDTH_IN_FILES = 160
"""Width without a terminal: the widest tables of benchmarks fit."""
_BAR_WIDTH = 20
"""Of a progress bar: in 80 columns the numbers beside it are whole, and a remark has a third."""
_SPEED_S = 600.0
"""Time over which speed is measured: a round of a benchmark may take minutes."""


_PLAIN_BELOW = 1e6
"""Numbers from here on are shown with an exponent: seven digits are more than one reads."""


class LiteralConsole(Console):
    """A console that shows every text literally, in lines, cells, titles and progress bars.

    Texts are made visible before they are measured. A finished `Text` is checked again when it is
    written, so nothing slips through.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text for the terminal, never read as markup."""
        return super().render_str(
            visible_text(text), **options | {"markup": False, "emoji": False}
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return the segments of anything printable, with nothing hidden in them."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible_text(text), style, control)


def results() -> Console:
    """Return the console of results; outside a terminal, tables may be wide."""
    return LiteralConsole(width=None if sys.stdout.isatty() else _WIDTH_IN_FILES)


def remarks() -> Console:
    """Return the console of progress bars and remarks."""
    return LiteralConsole(stderr=True)


def one_line(value: object) -> str:
    r"""Return the text of a value as one line, with newlines and tabs written out too.

    Examples
    --------
    >>> print(one_line("bob\nerror: no disk"))
    bob\nerror: no disk
    """
    return visible_text(str(value), keep="")


def remark(text: str) -> None:
    """Print a line to the standard error, unbroken even if it holds a long path."""
    remarks().print(text, soft_wrap=True)


def print_json(value: object) -> None:
    """Print a value for programs; NaN and infinity become null."""
    print(json.dumps(_plain(value), indent=1, default=str))


def print_markdown(text: str) -> None:
    """Print Markdown as it is, unbroken."""
    print(text, end="")


def refuse_two_formats(*, as_json: bool, as_markdown: bool) -> None:
    """Raise an error if both are asked for."""
    from accuracy_assay.errors import InputError

    if as_json and as_markdown:
        raise InputError("output must be of one format; got --json and --markdown.")


@contextmanager
def steps(name: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar; yield a function of (finished, all, remark) that moves it."""
    whole, rest = Column(no_wrap=True), Column(ratio=1, no_wrap=True, overflow="ellipsis")
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(_BAR_WIDTH),
        MofNCompleteColumn(table_column=whole),
        TimeElapsedColumn(table_column=whole),
        TimeRemainingColumn(table_column=whole),
        TextColumn("{task.fields[remark]}", markup=False, table_column=rest),
    )
    with Progress(
        *columns, console=remarks(), expand=True, speed_estimate_period=_SPEED_S
    ) as progress:
        bar = progress.add_task(one_line(name), total=None, remark="")

        def advance(finished: int, total: int, remark: str) -> None:
            progress.update(bar, completed=finished, total=total, remark=one_line(remark))

        yield advance


def _plain(value: object) -> object:
    """Return a value with null for every number that JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of texts; the first column is left-aligned, the others right."""
    table = Table()
    for k, column in enumerate(columns):
        table.add_column(_literal(column), justify="right" if k else "left")
    for row in rows:
        table.add_row(*map(_literal, row))
    return table


def frame_table(frame: pl.DataFrame) -> Table:
    """Return a frame as a table; numbers have up to three decimals."""
    table = Table()
    for name, dtype in frame.schema.items():
        table.add_column(_literal(name), justify="right" if dtype.is_numeric() else "left")
    for row in frame.iter_rows():
        table.add_row(*(_literal(_show(value)) for value in row))
    return table


def _literal(text: str) -> Text:
    return Text(visible_text(text))


def _show(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        is_plain = abs(value) < _PLAIN_BELOW
        return f"{value:.3f}".rstrip("0").rstrip(".") if is_plain else f"{value:.3g}"
    return str(value)
