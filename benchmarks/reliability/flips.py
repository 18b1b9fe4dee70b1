"""Flip the bits of a store's file, one at a time: history stays, or the damage is found and named.

A store of 60 events is written and closed. For each of many random bits a copy with that bit
flipped is opened and read. What comes back must be the whole history, or an error that names the
file or the event; and the events that are saved must be the first ones of the true history.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from accuracy_assay.domain.events import Asked, AssayOpened, Event, Fitted, Told
from accuracy_assay.errors import AssayError
from accuracy_assay.storage.chain import good_events
from accuracy_assay.storage.sqlite import open_sqlite

_N_ROUNDS = 20
_SEED = 7


def run(folder: Path, flips: int) -> dict[str, Any]:
    """Return how many flips changed nothing and how many were found; fail where one did not."""
    path = folder / "flipped.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("flips", [AssayOpened({"assay": {"name": "flips"}}, 60, "abc")])
    for i in range(_N_ROUNDS):
        store.append("flips", _round(i))
    history = [(r.seq, r.at, r.event) for r in store.read("flips")]
    store.close()
    whole = path.read_bytes()
    chance = random.Random(_SEED)
    outcomes = [
        _outcome(path, whole, chance.randrange(8 * len(whole)), history) for _ in range(flips)
    ]
    path.unlink()
    return {
        "part": "flips",
        "store": "sqlite",
        "events": len(history),
        "bytes": len(whole),
        "flips": flips,
        "history unchanged": outcomes.count("unchanged"),
        "event named": outcomes.count("event"),
        "file named": outcomes.count("file"),
        "silently different": 0,
    }


def _round(i: int) -> list[Event]:
    ids = tuple(f"clip-{i}-{j}" for j in range(3))
    return [
        Asked(ids, "ann", 1e9 + i, "google", ("largest variance",) * 3, (0.1,) * 3),
        Told(ids, ("cat", "dog", "bird"), "ann", seconds=(1.5, None, 2.0)),
        Fitted("google", 3 * i + 3, 3 * i + 3, 0.25, 0.5),
    ]


def _outcome(path: Path, whole: bytes, place: int, history: list[Any]) -> str:
    flipped = bytearray(whole)
    flipped[place // 8] ^= 1 << (place % 8)
    path.write_bytes(flipped)
    for journal in ("-wal", "-shm", "-journal"):
        Path(f"{path}{journal}").unlink(missing_ok=True)
    try:
        store = open_sqlite(str(path), patience_s=0.0)
        try:
            (name,) = store.list()
            events, damage = good_events(store, name)
        finally:
            store.close()
    except AssayError:
        return "file"
    found = [(r.seq, r.at, r.event) for r in events]
    if damage is not None:
        assert found == history[: len(found)], (place, "what was saved is not what was written")
        return "event"
    assert name == "flips", (place, name)
    assert found == history, (place, "history is silently different")
    return "unchanged"
