"""Power cuts, simulated over recorded writes: what was synced stays, the rest in any order.

    python benchmarks/reliability/power_cuts.py --cuts 1000 [--out FILE]

A process makes a store, asks, tells, edits, backs up, closes and opens again; every call that
changes a file is recorded, and after each acknowledgement a note. For each of many random moments
the files are made as a power cut then may leave them, half-written pages and lost names among
them. The store must open, be whole, hold all that was acknowledged before that moment, and not be
refused as older by what the state folder knows. Done cases are in ``--out`` and are not repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "tests" / "support")]

N_LABELS = 60
CUTS_EACH = 250
"""Cuts of one recording; another recording has other moments of the checkpoints."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("out/reliability/power_cuts.jsonl"))
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        work(Path(options.inside))
        return
    options.out.parent.mkdir(parents=True, exist_ok=True)
    n_done = len(options.out.read_text().splitlines()) if options.out.exists() else 0
    while n_done < options.cuts:
        with tempfile.TemporaryDirectory(prefix="assay-cuts-") as folder:
            n = min(CUTS_EACH - n_done % CUTS_EACH, options.cuts - n_done)
            cut(Path(folder), n, seed=n_done, out=options.out)
        n_done += n
    print(json.dumps(summary(options.out)))


def summary(out: Path) -> dict[str, Any]:
    """Return how many cuts there were, and of how much work."""
    done = [json.loads(line) for line in out.read_text().splitlines()]
    return {
        "part": "power cuts",
        "store": "sqlite",
        "cuts": len(done),
        "labels acknowledged before them": sum(case["told"] for case in done),
        "files with a part lost": sum(case["is_torn"] for case in done),
        "may be older, said in vain": sum(case["is_unsure"] for case in done),
        "lost": 0,
        "refused in vain": 0,
    }


def work(folder: Path) -> None:
    """Be the process that is recorded."""
    import labelling
    from disk import Disk

    import accuracy_assay as aa
    from accuracy_assay.storage import sqlite
    from accuracy_assay.storage.backup import back_up

    sqlite._CHECKPOINT_S = 0.02  # many checkpoints among few labels
    pool = labelling.make_pool(folder / "pool.parquet", 200)
    truth = dict(pool.select("id", "truth").iter_rows())
    place = folder / "disk"
    place.mkdir()
    os.environ["XDG_STATE_HOME"] = str(place / "state")
    disk = Disk(place)
    disk.record(folder / "calls")
    store = str(place / "v.assay")
    waiting = iter(truth)
    aa.Assay.create(store, labelling.make_spec(folder / "pool.parquet", 200)).close()
    disk.note("made")
    for turn in range(3):
        with aa.Assay.open(store) as assay:
            for _ in range(N_LABELS // 3 // 2):
                assay.ask(1, annotator="ann")
                for instance in (next(waiting), next(waiting)):
                    assay.tell(instance, truth[instance], "ann")
                    disk.note(f"told {instance}")
            assay.edit({"assay": {"budget": 150 + turn}})
            disk.note(f"budget {150 + turn}")
        with closing(sqlite.open_sqlite(store)) as home:
            copied = back_up(home, place / "copy.assay")
            disk.note(f"copied {copied.labels}")


def cut(folder: Path, n_cuts: int, seed: int, out: Path) -> None:
    """Record a run, and cut its power at random moments."""
    from disk import after_cut, read_calls, started_on

    ended = started_on([__file__, "--inside", str(folder)], folder)
    assert ended.returncode == 0, ended.stderr
    calls = list(read_calls(folder / "calls"))
    place = folder / "disk"
    shutil.rmtree(place)
    rng = random.Random(seed)
    with out.open("a") as log:
        for _ in range(n_cuts):
            end = rng.randrange(len(calls) + 1)
            done = calls[:end]
            left = after_cut({}, done, rng)
            told = _notes(done, "told ")
            is_torn = left != after_cut({}, done, _All())
            notes = [_notes(done, start) for start in ("budget ", "copied ")]
            is_unsure = _check(place, left, told, *notes, done)
            case = {"seed": seed, "at": end, "told": len(told)}
            case |= {"is_torn": is_torn, "is_unsure": is_unsure}
            log.write(json.dumps(case) + "\n")
            log.flush()


class _All(random.Random):
    """Chance that lets everything happen, in its order."""

    def random(self) -> float:
        return 0.95

    def choice(self, seq: Any) -> Any:
        return seq[-1]


def _notes(calls: list[Any], start: str) -> list[str]:
    notes = [call.path for call in calls if call.kind == "N"]
    return [note.removeprefix(start) for note in notes if note.startswith(start)]


def _check(
    place: Path,
    left: dict[str, bytes],
    told: list[str],
    budgets: list[str],
    copied: list[str],
    done: list[Any],
) -> bool:
    """Write the files that are left, and require what was acknowledged.

    Returns whether the store says that it may be older, as one that was being closed may say.
    """
    from accuracy_assay.domain.events import Edited, Told
    from accuracy_assay.storage.sqlite import open_sqlite
    from accuracy_assay.storage.verify import verify_store

    shutil.rmtree(place, ignore_errors=True)
    for path, content in left.items():
        if not path.endswith("-shm") and ".cache" not in path:  # made anew, by SQLite or by us
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(content)
    os.environ["XDG_STATE_HOME"] = str(place / "state")
    store = place / "v.assay"
    if not any(call.kind == "N" for call in done):
        return False  # nothing was acknowledged, not even the store
    with closing(open_sqlite(str(store), is_saving=True)) as home:
        found = verify_store(home)
        said = [each.problem for each in found.assays if each.problem is not None]
        assert all("may be older" in problem for problem in said), found
        is_unsure = bool(said)
        assert [p for p in found.problems if "the log" not in p] == [], found
    with closing(open_sqlite(str(store))) as home:
        (name,) = home.list()
        events = [recorded.event for recorded in home.read(name)]
        seen = {i for event in events if isinstance(event, Told) for i in event.ids}
        assert set(told) <= seen, f"lost: {set(told) - seen}"
        made = [str(e.spec["assay"]["budget"]) for e in events if isinstance(e, Edited)]
        assert made[: len(budgets)] == budgets
        n_before = len(events)
        assert home.append(name, [Told(("again",), ("cat",), "bob")]) == n_before + 1
    if copied:
        with closing(open_sqlite(str(place / "copy.assay"), is_saving=True)) as copy:
            (each,) = verify_store(copy).assays
            assert each.labels >= int(copied[-1]), "a backup that was acknowledged is lost"
    return is_unsure


if __name__ == "__main__":
    main()
