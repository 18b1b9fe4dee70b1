"""A pool, a spec and annotators, as processes of their own, to put a store under strain.

An annotator writes a line to its log for all that was acknowledged to it: ``ready``,
``asked <id>`` and ``told <id>``. Processes are forked from one that has imported everything, so
that hundreds of them start quickly; each opens the store by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa

__all__ = [
    "Annotator",
    "Killed",
    "annotate",
    "check_history",
    "kill_moments",
    "let_go",
    "make_pool",
    "make_spec",
    "run_and_kill",
    "start_annotator",
]

_IMPORTED = (
    "accuracy_assay.session.assay",
    "accuracy_assay.estimators.beta_independent",
    "accuracy_assay.exploration.uniform",
    "accuracy_assay.storage.postgres",
    "accuracy_assay.storage.sqlite",
)


def make_pool(path: Path, n_rows: int) -> pl.DataFrame:
    """Write a pool whose column ``truth`` annotators answer from."""
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], n_rows)
    pool = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
            "band": rng.choice(["a", "b", "c", "d"], n_rows),
            "guess": np.where(rng.random(n_rows) < 0.8, truth, "cat"),
            "truth": truth,
        }
    )
    pool.write_parquet(path)
    return pool


def make_spec(pool: Path, budget: int) -> dict[str, Any]:
    """Return a spec with quick methods and leases that outlast every run."""
    return {
        "assay": {
            "name": "strain",
            "budget": budget,
            "batch": 50,
            "estimator": "beta-independent",
            "strategy": "random",
            "lease_minutes": 600,
        },
        "pool": {"path": str(pool)},
        "attribute": [{"name": "sex"}, {"name": "band"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"]},
    }


def annotate(assay: aa.Assay, annotator: str, batch: int, limit: int, say: Any) -> int:
    """Ask and tell, one answer at a time; what was held before comes first."""
    truth = dict(assay.pool.select("id", "truth").iter_rows())
    n_told = 0
    held = assay.pending(annotator)["id"].to_list()
    while n_told < limit:
        ids = held or assay.ask(min(batch, limit - n_told), annotator=annotator)["id"].to_list()
        if not ids:
            break
        if not held:
            for instance in ids:
                say(f"asked {instance}")
        held = []
        for instance in ids:
            assay.tell(instance, truth[instance], annotator)
            say(f"told {instance}")
            n_told += 1
    return n_told


@dataclass(frozen=True)
class Annotator:
    """A running process and its log."""

    process: Any
    log: Path

    def lines(self) -> list[str]:
        """Return the whole lines of the log; the last may be cut if the process was killed."""
        return self.log.read_text(encoding="utf-8").split("\n")[:-1]

    def finish(self, timeout_s: float) -> None:
        """Wait for the end, which must be a good one."""
        self.process.join(timeout_s)
        assert self.process.exitcode == 0, f"an annotator ended with {self.process.exitcode}"


def start_annotator(store: str, pool: Path, annotator: str, batch: int, limit: int) -> Annotator:
    """Start an annotator as a process of its own; it waits for `let_go`."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["labelling", *_IMPORTED])
    handle, log = tempfile.mkstemp(prefix="annotator-", suffix=".log", dir=pool.parent)
    os.close(handle)
    process = context.Process(target=_work, args=(store, pool, annotator, batch, limit, log))
    process.start()
    return Annotator(process, Path(log))


def let_go(annotators: Sequence[Annotator]) -> None:
    """Wait until all annotators are ready, then let them begin together."""
    for one in annotators:
        while not one.lines():
            assert one.process.is_alive(), "an annotator did not start"
            time.sleep(0.002)
    for one in annotators:
        _sign(one.log).touch()


@dataclass(frozen=True)
class Killed:
    """What an annotator was told by the store before it was killed."""

    asked: tuple[str, ...]
    told: tuple[str, ...]


def run_and_kill(store: str, pool: Path, annotator: str, after_s: float) -> Killed:
    """Let an annotator work for a while after it is ready, then kill -9 it."""
    one = start_annotator(store, pool, annotator, batch=3, limit=10**6)
    let_go([one])
    time.sleep(after_s)
    one.process.kill()
    one.process.join()
    assert one.process.exitcode == -signal.SIGKILL, f"it ended with {one.process.exitcode}"
    return Killed(_named(one.lines(), "asked"), _named(one.lines(), "told"))


def check_history(store: str, pool: pl.DataFrame, killed: Sequence[Killed]) -> aa.Assay:
    """Assert that all that was acknowledged is there, once, and that replay is exact."""
    truth = dict(pool.select("id", "truth").iter_rows())
    assay, again = aa.Assay.open(store), aa.Assay.open(store)
    labels = dict(assay.labels().select("id", "label").iter_rows())
    told = [instance for one in killed for instance in one.told]
    lost = [instance for instance in told if labels.get(instance) != truth[instance]]
    assert lost == [], f"acknowledged and lost: {lost}"
    assert len(set(told)) == len(told), "an answer was acknowledged twice as new work"
    # An event that came second for an instance was not granted it: nobody was asked.
    asked = [i for ids in assay.session.journal.ledger.granted.values() for i in ids]
    assert len(set(asked)) == len(asked), "an instance was asked twice"
    assert {i for one in killed for i in one.asked} <= set(asked)
    assert assay.surface().to_frame().equals(again.surface().to_frame())
    rows = pool.filter(pl.col("id").is_in(list(labels)))
    expected = aa.estimate(
        rows,
        ["sex", "band"],
        y_true="truth",
        y_pred="guess",
        pool=pool,
        signals=["guess"],
        estimator="beta-independent",
    )
    assert assay.surface().to_frame().equals(expected.to_frame()), "replay gave another surface"
    again.close()
    return assay


def kill_moments(n: int, longest_s: float, seed: int) -> list[float]:
    """Return random moments at which to kill."""
    rng = random.Random(seed)
    return [rng.uniform(0.0, longest_s) for _ in range(n)]


def _named(lines: Sequence[str], kind: str) -> tuple[str, ...]:
    return tuple(line.split(" ", 1)[1] for line in lines if line.startswith(f"{kind} "))


def _work(store: str, pool: Path, annotator: str, batch: int, limit: int, log: str) -> None:
    """Be an annotator."""
    handle = os.open(log, os.O_WRONLY | os.O_APPEND)

    def say(line: str) -> None:
        # One system call a line: what was written is out of this process even if it dies.
        os.write(handle, f"{line}\n".encode())

    with aa.Assay.open(store, pool=pool) as assay:
        assay.surface()  # so that the time that follows is spent on asking and telling
        say("ready")
        while not _sign(Path(log)).exists():
            time.sleep(0.002)
        annotate(assay, annotator, batch, limit, say)


def _sign(log: Path) -> Path:
    """Return the file whose existence lets an annotator begin."""
    return log.with_suffix(".go")
