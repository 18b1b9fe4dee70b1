"""Many annotators at once on one store, as threads of one process or as processes."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import labelling

import accuracy_assay as aa

LABELS = 5_000
ANNOTATORS = 50
"""A large team: 100 labels each, a day's work for one of them."""


def run(kind: str, store: str, folder: Path, workers: str, n_annotators: int) -> dict[str, Any]:
    """Let ``n_annotators`` tell all labels between them, one label per call."""
    each = LABELS // ANNOTATORS
    path = folder / f"pool-crowd-{kind}-{workers}.parquet"
    pool = labelling.make_pool(path, 20_000)
    aa.Assay.create(store, labelling.make_spec(path, each * n_annotators)).close()
    work = _threads if workers == "threads" else _processes
    seconds, alone = work(store, path, n_annotators, each), _alone(store, path)
    with labelling.check_history(store, pool, []) as assay:
        status = assay.status()
    labels = each * n_annotators
    assert (status.labels, status.answers, status.asked) == (labels, labels, labels), status
    assert set(status.annotators.values()) == {each}
    return {
        "part": f"{n_annotators} annotators as {workers}",
        "store": kind,
        "labels": status.labels,
        "lost": 0,
        "doubled": 0,
        "errors": 0,
        "labels_per_second": round(labels / seconds, 1),
        "one_append_alone_ms": round(1000 * alone, 2),
    }


def _threads(store: str, pool: Path, n_annotators: int, each: int) -> float:
    failures: list[BaseException] = []
    with aa.Assay.open(store) as shared:

        def annotate(number: int) -> None:
            try:
                labelling.annotate(shared, f"annotator {number}", 10, each, lambda _: None)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=annotate, args=(i,)) for i in range(n_annotators)]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - started
    assert failures == [], failures
    return seconds


def _processes(store: str, pool: Path, n_annotators: int, each: int) -> float:
    """Start all, and measure from the moment when all are let go."""
    everyone = [
        labelling.start_annotator(store, pool, f"annotator {i}", 10, each)
        for i in range(n_annotators)
    ]
    labelling.let_go(everyone)
    started = time.perf_counter()
    for one in everyone:
        one.finish(600)
        assert sum(line.startswith("told ") for line in one.lines()) == each
    return time.perf_counter() - started


def _alone(store: str, pool: Path) -> float:
    """Return the seconds of one skip when nobody else writes: what the store itself costs."""
    n = 50
    with aa.Assay.open(store) as assay:
        free = assay.pool["id"][-n:]
        started = time.perf_counter()
        for instance in free:
            assay.skip(instance, "nobody")
        return (time.perf_counter() - started) / n
