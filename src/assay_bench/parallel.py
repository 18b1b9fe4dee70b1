"""Runs in several processes, each with one thread of numerics, so that none slows another.

They are processes of this machine, or the workers of an engine: then of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.runtime.engine import engine
from accuracy_assay.runtime.one_thread import environment, one_thread
from assay_bench.run import Row, Run, perform

__all__ = ["OnDone", "perform_all"]

OnDone = Callable[[Run, list[Row]], None]


def perform_all(
    runs: Sequence[Run],
    data: Path | None,
    jobs: int,
    on_done: OnDone,
    engine_name: str = "local",
) -> None:
    """Perform ``runs`` and hand over each as it finishes; the first error stops the rest.

    ``jobs`` is the number of processes here; another engine has as many workers as it can.
    """
    if engine_name != "local":
        for run, rows in engine(engine_name).map_as_done(_Perform(data), runs):
            on_done(run, rows)
        return
    if jobs <= 1 or len(runs) <= 1:
        for run in runs:
            on_done(run, perform(run, data))
        return
    with (
        environment(one_thread()),
        ProcessPoolExecutor(min(jobs, len(runs)), mp_context=get_context("spawn")) as pool,
    ):
        waiting = {pool.submit(_perform, run, data): run for run in runs}
        try:
            for future in as_completed(waiting):
                on_done(waiting[future], future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@dataclass(frozen=True)
class _Perform:
    """What a worker of an engine does with a run; which one it was is part of the result."""

    data: Path | None

    def __call__(self, run: Run) -> tuple[Run, list[Row]]:
        return run, _perform(run, self.data)


def _perform(run: Run, data: Path | None) -> list[Row]:
    """Perform in a worker; an error travels back as its text, in a class that can travel."""
    try:
        return perform(run, data)
    except AssayError as error:
        plain = InputError if isinstance(error, InputError) else AssayError
        raise plain(f"{run.task}, {run.method.name}, seed {run.seed}: {error}") from None
