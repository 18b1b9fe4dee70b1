"""A pool, a spec and annotators to put a store under strain; run as a script it is an annotator.

As a script: ``python labelling.py STORE POOL ANNOTATOR BATCH LIMIT``. It writes ``ready``, waits
for a line, then asks and tells until it has told LIMIT answers or nothing is left, and writes a
line for all that was acknowledged: ``asked <id>``, ``told <id>``.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa

__all__ = [
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


def start_annotator(
    store: str, pool: Path, annotator: str, batch: int, limit: int
) -> subprocess.Popen[bytes]:
    """Start an annotator as a process of its own; it waits for `let_go`."""
    words = [sys.executable, __file__, store, str(pool), annotator, str(batch), str(limit)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def let_go(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until all annotators are ready, then let them begin together."""
    for process in processes:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first == b"ready\n", f"an annotator did not start: {first!r}"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()


@dataclass(frozen=True)
class Killed:
    """What an annotator was told by the store before it was killed."""

    asked: tuple[str, ...]
    told: tuple[str, ...]


def run_and_kill(store: str, pool: Path, annotator: str, after_s: float) -> Killed:
    """Let an annotator work for a while after it is ready, then kill -9 it."""
    process = start_annotator(store, pool, annotator, batch=3, limit=10**6)
    let_go([process])
    time.sleep(after_s)
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL, f"it ended by itself: {process.returncode}"
    # The last line may be cut: the process died while it wrote it.
    lines = rest.decode().split("\n")[:-1]
    return Killed(_named(lines, "asked"), _named(lines, "told"))


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
    asked = [i for ids in assay._journal.ledger.granted.values() for i in ids]
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


def _say(line: str) -> None:
    # One system call a line: what was written is out of this process even if it dies.
    os.write(1, f"{line}\n".encode())


def _main() -> None:
    store, pool, annotator, batch, limit = sys.argv[1:]
    assay = aa.Assay.open(store, pool=pool)
    _say("ready")
    sys.stdin.readline()
    annotate(assay, annotator, int(batch), int(limit), _say)


if __name__ == "__main__":
    _main()
