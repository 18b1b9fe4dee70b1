"""kill -9 of an annotator's process at random moments of its ask and tell loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import labelling

import accuracy_assay as aa

LONGEST_S = 0.4
"""A kill comes within this time, long enough for several rounds of ask and tell."""


def run(kind: str, store: str, folder: Path, n_kills: int) -> dict[str, Any]:
    """Kill an annotator ``n_kills`` times, each going on where the last one died."""
    path = folder / f"pool-kill-{kind}.parquet"
    pool = labelling.make_pool(path, 20_000)
    aa.Assay.create(store, labelling.make_spec(path, pool.height)).close()
    killed = [
        labelling.run_and_kill(store, path, "ann", after_s)
        for after_s in labelling.kill_moments(n_kills, LONGEST_S, seed=6)
    ]
    with labelling.check_history(store, pool, killed) as assay:
        status = assay.status()
        told = sum(len(one.told) for one in killed)
        return {
            "part": "kill -9",
            "store": kind,
            "kills": n_kills,
            "acknowledged": told,
            "lost": 0,
            "stored_but_not_yet_acknowledged": status.labels - told,
            "asked": status.asked,
            "asked_twice": 0,
            "same_surface_after_replay": True,
        }
