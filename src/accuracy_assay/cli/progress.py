"""Progress bars on the standard error, quiet where no one is looking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from accuracy_assay.cli.console import remarks

__all__ = ["steps"]


@contextmanager
def steps(name: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar; yield a function of (finished, all, remark) that moves it."""
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
