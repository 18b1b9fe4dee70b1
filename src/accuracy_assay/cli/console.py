"""Where text goes: results to the standard output, remarks and progress to the standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

__all__ = ["print_json", "remarks", "results", "steps"]

_WIDTH_IN_FILES = 160
"""Columns of text where no terminal says how many: the widest tables of benchmarks fit."""


def results() -> Console:
    """Return the console of results; where no one sees its width, tables may be wide."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH_IN_FILES, highlight=False)


def remarks() -> Console:
    """Return the console of progress bars and remarks."""
    return Console(stderr=True, highlight=False)


def print_json(value: object) -> None:
    """Print a value for programs."""
    print(json.dumps(value, indent=1, default=str))


@contextmanager
def steps(name: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar; yield a function of (finished, all, remark) that moves it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}"),
    )
    with Progress(*columns, console=remarks(), transient=False) as progress:
        bar = progress.add_task(name, total=None, remark="")

        def advance(finished: int, total: int, remark: str) -> None:
            progress.update(bar, completed=finished, total=total, remark=remark)

        yield advance
