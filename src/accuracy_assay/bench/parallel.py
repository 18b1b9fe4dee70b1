"""Runs in several processes, each with one thread of numerics, so that none slows another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from accuracy_assay.bench.run import Row, Run, perform
from accuracy_assay.errors import AssayError, InputError

__all__ = ["OnDone", "perform_all"]

OnDone = Callable[[Run, list[Row]], None]

_ONE_THREAD: Mapping[str, str] = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


def perform_all(runs: Sequence[Run], data: Path | None, jobs: int, on_done: OnDone) -> None:
    """Perform ``runs`` and hand over each as it finishes; the first error stops the rest."""
    if jobs <= 1 or len(runs) <= 1:
        for run in runs:
            on_done(run, perform(run, data))
        return
    with (
        _environment(_ONE_THREAD),
        ProcessPoolExecutor(min(jobs, len(runs)), mp_context=get_context("spawn")) as pool,
    ):
        waiting = {pool.submit(_perform, run, data): run for run in runs}
        try:
            for future in as_completed(waiting):
                on_done(waiting[future], future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _perform(run: Run, data: Path | None) -> list[Row]:
    """Perform in a worker; an error travels back as its text, in a class that can travel."""
    try:
        return perform(run, data)
    except AssayError as error:
        plain = InputError if isinstance(error, InputError) else AssayError
        raise plain(f"{run.task}, {run.method.name}, seed {run.seed}: {error}") from None


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Set variables for the processes that start inside the block, unless the user set them."""
    added = {name: value for name, value in settings.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
