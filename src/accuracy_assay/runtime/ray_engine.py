"""Work over parts by the workers of a Ray cluster: Ray Data pipelines whose blocks are parts.

If a worker or its machine dies, its parts are tried again. Results arrive in any order and are put
in the order of the parts here.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from accuracy_assay.errors import AssayError
from accuracy_assay.runtime.engine import work_on
from accuracy_assay.runtime.one_thread import one_thread
from accuracy_assay.runtime.ray_cluster import join_cluster, n_cores, n_workers_with, quiet_ray

with quiet_ray():
    import pyarrow
    import ray.data
    from ray import cloudpickle

__all__ = ["RayEngine", "parts_per_task"]

P = TypeVar("P")
R = TypeVar("R")
_Work = Callable[[Any], Any]

_FIRST_TASKS, _TASKS = 2, 16
"""Tasks per worker in the first pipeline and in each of the others; one ends before the next
begins. So few that the parts, and the results that wait for an earlier one, fit here; so many that
a worker waits for the last ones of others for about one 32nd of its time."""
_TASKS_OF_A_GPU = 1024
"""The same where workers have GPUs: each loads its model anew for every pipeline."""
_TASK_S = 2.0
"""How long a task should take. Ray spends about 0.03 s on each, whatever it holds."""
_MOST_PARTS = 32
"""Of a task: what is tried again where a worker dies, and what is held here, stays small."""
_TRIES = 5
"""Of a part whose workers die, chosen by hand: enough for machines that are taken away, and few
enough that a part which no machine can hold ends the run."""
_ONE_PART: Mapping[str, Any] = {"batch_size": 1, "batch_format": "pyarrow"}
"""Of a larger batch Ray would make one task out of several."""


@dataclass(frozen=True)
class RayEngine:
    """The workers of a Ray cluster, each with one core; at most ``most_workers`` at once.

    Where ``gpus`` is more than 0 each worker has that many GPUs and stays with them while a
    pipeline runs, so that what the work loads onto one is loaded once.
    """

    gpus: float = 0.0
    most_workers: int | None = None

    @property
    def n_workers(self) -> int:
        """As many as the cluster has cores, or GPUs, now."""
        join_cluster()
        n_there = n_workers_with(self.gpus) if self.gpus > 0.0 else n_cores()
        return n_there if self.most_workers is None else min(n_there, self.most_workers)

    @property
    def _tasks(self) -> int:
        return _TASKS_OF_A_GPU if self.gpus > 0.0 else _TASKS

    def map(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        """Yield ``work(part)`` of every part, in the order of the parts.

        Where parts take little time, several are one task.
        """
        packed, numbered = cloudpickle.dumps(work), enumerate(parts)
        n_workers = self.n_workers
        per_task, n_tasks = 1, n_workers * (self._tasks if self.gpus else _FIRST_TASKS)
        while some := list(islice(numbered, n_tasks * per_task)):
            begun = time.monotonic()
            with closing(self._results(packed, some, -(-len(some) // per_task))) as results:
                yield from _in_order([index for index, _ in some], results)
            part_s = (time.monotonic() - begun) * n_workers / len(some)
            per_task, n_tasks = parts_per_task(part_s), self._tasks * n_workers

    def map_as_done(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        """Yield ``work(part)`` of every part as it is done; every part is a task of its own."""
        packed, numbered = cloudpickle.dumps(work), enumerate(parts)
        while some := list(islice(numbered, self._tasks * self.n_workers)):
            with closing(self._results(packed, some, len(some))) as results:
                yield from _as_done([index for index, _ in some], results)

    def _results(
        self, packed: bytes, parts: Sequence[tuple[int, Any]], n_tasks: int
    ) -> Generator[tuple[int, bytes], None, None]:
        """Yield results as they come, each with the number of its part."""
        with quiet_ray():
            items = [{"index": index, "part": cloudpickle.dumps(part)} for index, part in parts]
            given = ray.data.from_items(items, override_num_blocks=n_tasks)
            given.context.enable_progress_bars = False
            given.context.max_errored_blocks = -1  # lost parts are reported by number at the end
            done = self._with_workers(given, (packed, tuple(sys.path)))
            tables = iter(
                done.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
            )
        try:
            while (table := _next(tables)) is not None:
                columns = table.to_pydict()
                yield from zip(columns["index"], columns["result"], strict=True)
        finally:
            with quiet_ray():
                tables.close()

    def _with_workers(self, given: ray.data.Dataset, settings: tuple[Any, ...]) -> Any:
        if self.gpus > 0.0:
            return given.map_batches(
                _StayingWorker,
                fn_constructor_args=settings,
                num_gpus=self.gpus,
                concurrency=(1, self.n_workers),
                max_restarts=-1,
                max_task_retries=_TRIES - 1,
                **_ONE_PART,
            )
        return given.map_batches(
            _work_on_table,
            fn_args=settings,
            num_cpus=1,
            concurrency=self.most_workers,
            max_retries=_TRIES - 1,
            **_ONE_PART,
        )


def parts_per_task(part_s: float) -> int:
    """Return how many parts a task has, by what one takes.

    Examples
    --------
    >>> [parts_per_task(part_s) for part_s in (0.001, 0.1, 1.5, 60.0)]
    [32, 20, 1, 1]
    """
    return min(max(int(_TASK_S / max(part_s, 1e-9)), 1), _MOST_PARTS)


def _next(tables: Iterator[pyarrow.Table]) -> pyarrow.Table | None:
    with quiet_ray():
        return next(tables, None)


def _in_order(indices: Sequence[int], results: Iterator[tuple[int, bytes]]) -> Iterator[Any]:
    """Yield results in the order of their parts; an error is raised when its turn comes."""
    early: dict[int, bytes] = {}
    waiting = list(reversed(indices))
    for index, result in results:
        early[index] = result
        while waiting and waiting[-1] in early:
            yield _unpack_result(early.pop(waiting.pop()))
    if waiting:
        raise _lost(waiting[-1])


def _as_done(indices: Sequence[int], results: Iterator[tuple[int, bytes]]) -> Iterator[Any]:
    """Yield results as they come; lost parts are reported at the end."""
    waiting = set(indices)
    for index, result in results:
        waiting.remove(index)
        yield _unpack_result(result)
    if waiting:
        raise _lost(min(waiting))


def _lost(index: int) -> AssayError:
    return AssayError(
        f"part {index + 1} must be worked on by a worker of the Ray cluster; got {_TRIES} that "
        "died at it. Has the machine enough memory for it?"
    )


def _unpack_result(packed: bytes) -> Any:
    is_error, value = cloudpickle.loads(packed)
    if is_error:
        raise value
    return value


class _StayingWorker:
    """A worker that unpacks the work once."""

    def __init__(self, packed: bytes, path: Sequence[str]) -> None:
        self._work = _unpack(packed, path)

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        return _results_of(self._work, table)


def _work_on_table(table: pyarrow.Table, packed: bytes, path: Sequence[str]) -> pyarrow.Table:
    return _results_of(_unpack(packed, path), table)


def _unpack(packed: bytes, path: Sequence[str]) -> _Work:
    """Return the work; its module may be in a folder where the caller looks for modules."""
    os.environ.update(one_thread())
    sys.path.extend(folder for folder in path if folder not in sys.path)
    work: _Work = cloudpickle.loads(packed)
    return work


def _results_of(work: _Work, table: pyarrow.Table) -> pyarrow.Table:
    columns = table.to_pydict()
    parts = zip(columns["index"], columns["part"], strict=True)
    results = [_result(work, index, part) for index, part in parts]
    return pyarrow.table({"index": columns["index"], "result": results})


def _result(work: _Work, index: int, part: bytes) -> bytes:
    """Return what the work returns or raises: Ray would wrap an error in one of its own."""
    try:
        packed: bytes = cloudpickle.dumps((False, work_on(work, index, cloudpickle.loads(part))))
        return packed
    except Exception as error:
        return _pack_error(error)


def _pack_error(error: Exception) -> bytes:
    """Return an error that can be unpacked, which not every class of errors allows."""
    try:
        packed: bytes = cloudpickle.dumps((True, error))
        cloudpickle.loads(packed)
    except Exception:
        packed = cloudpickle.dumps((True, AssayError(f"{type(error).__name__}: {error}")))
    return packed
