"""Where text goes: results to the standard output, remarks and progress to the standard error.

Everything is printed literally, whoever wrote it: square brackets are no markup, ``:name:`` is no
emoji, and what a terminal would obey or hide is written out (`runtime.visible_text`). Our own
texts get their style from `rich.text.Text`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

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
from rich.text import Text

from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["LiteralConsole", "one_line", "print_json", "remark", "remarks", "results", "steps"]

_WIDTH_IN_FILES = 160
"""Columns of text where no terminal says how many: the widest tables of benchmarks fit."""


class LiteralConsole(Console):
    """A console that shows every text as it is, in lines, cells, titles and progress bars alike.

    Texts are made visible before they are measured. What comes as a finished `Text` is checked
    once more when it is written, so that nothing passes by.
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
        """Return the segments of anything that can be printed, with nothing hidden in them."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible_text(text), style, control)


def results() -> Console:
    """Return the console of results; where no one sees its width, tables may be wide."""
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
    """Print a line to the standard error, unbroken however long a path in it is."""
    remarks().print(text, soft_wrap=True)


def print_json(value: object) -> None:
    """Print a value for programs; NaN and infinity become null."""
    print(json.dumps(_plain(value), indent=1, default=str))


@contextmanager
def steps(name: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar; yield a function of (finished, all, remark) that moves it."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}", markup=False),
    )
    with Progress(*columns, console=remarks(), transient=False) as progress:
        bar = progress.add_task(one_line(name), total=None, remark="")

        def advance(finished: int, total: int, remark: str) -> None:
            progress.update(bar, completed=finished, total=total, remark=one_line(remark))

        yield advance


def _plain(value: object) -> object:
    """Return a value with null for every number that JSON does not know."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
