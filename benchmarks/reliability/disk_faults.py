"""A disk that fails at the n-th write, for every n of a few calls on an assay.

    python benchmarks/reliability/disk_faults.py --faults 2000 [--out FILE]

Calls: ``ask``, ``tell``, the quick ``tell`` of the command line, ``edit``, ``backup``, and
``close`` after a ``tell``. The n-th call that makes, writes, cuts, syncs, renames or removes a
file fails: once (EIO), or with all that follow (EIO, ENOSPC). Then the disk is well
again, and the store must be whole, hold all that was acknowledged, hold the interrupted call as a
whole or not at all, and go on. Done cases are in ``--out``, one line each, and are not repeated.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "tests" / "support")]

ERRORS = ((errno.EIO, False), (errno.ENOSPC, True), (errno.EIO, True))
SIZES = (3, 40, 11, 120, 25, 70, 7, 300)
"""Labels in the store before: another number fills other pages."""
LONGEST_S = 120
"""No call may wait longer than this for a disk that does not come back."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=Path("out/reliability/disk_faults.jsonl"))
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inject(Path(options.inside), options.faults, options.out.absolute())
        return
    import disk

    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="assay-faults-") as folder:
        words = [__file__, "--faults", str(options.faults), "--out", str(options.out)]
        ended = disk.started_on([*words, "--inside", folder], Path(folder))
    sys.stderr.write(ended.stderr)
    if ended.returncode:
        sys.exit(ended.returncode)
    print(json.dumps(summary(options.out)))


def summary(out: Path) -> dict[str, Any]:
    """Return how many faults there were, and what they ended in."""
    done = [json.loads(line) for line in out.read_text().splitlines()]
    return {
        "part": "disk faults",
        "store": "sqlite",
        "faults": len(done),
        "by call": dict(Counter(case["call"] for case in done)),
        "said": sum(case["ended"] != "done" for case in done),
        "done all the same": sum(case["ended"] == "done" for case in done),
        "lost": 0,
        "silent": 0,
    }


def inject(folder: Path, n_faults: int, out: Path) -> None:
    """Go through all cases that are not done yet, up to ``n_faults`` in all."""
    from disk import Disk

    seen = set(out.read_text().splitlines()) if out.exists() else set()
    keys = {tuple(json.loads(line)[k] for k in ("size", "call", "error", "at")) for line in seen}
    n_done = len(keys)
    with out.open("a") as log:
        for size in SIZES:
            world = World(folder / f"size-{size}", size, Disk(folder / f"size-{size}" / "disk"))
            for call in CALLS:
                for number, is_lasting in ERRORS:
                    error = errno.errorcode[number] + ("+" if is_lasting else "")
                    for at, ended in world.cases(call, number, is_lasting, error, keys):
                        case = {"size": size, "call": call, "error": error, "at": at}
                        log.write(json.dumps({**case, "ended": ended}) + "\n")
                        log.flush()
                        n_done += 1
                        if n_done >= n_faults:
                            return


class World:
    """A store with some labels, made again for every case."""

    def __init__(self, folder: Path, size: int, disk: Any) -> None:
        import labelling

        import accuracy_assay as aa

        self.size, self.disk, self.is_lasting = size, disk, False
        self.place, self.whole = folder / "disk", folder / "whole"
        self.store, self.copy = self.place / "v.assay", self.place / "copy.assay"
        self.whole.mkdir(parents=True)
        pool = labelling.make_pool(folder / "pool.parquet", size + 50)
        self.truth = dict(pool.select("id", "truth").iter_rows())
        self.ids = list(self.truth)
        os.environ["XDG_STATE_HOME"] = str(folder / "made")
        spec = labelling.make_spec(folder / "pool.parquet", size + 50)
        with aa.Assay.create(self.whole / "v.assay", spec) as assay:
            for instance in self.ids[:size]:
                assay.tell(instance, self.truth[instance], "ann")
        with aa.Assay.open(self.whole / "v.assay") as assay:
            assay.surface()

    def begin(self) -> None:
        """Put the store, and nothing else, on the disk."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.whole, self.place)
        os.environ["XDG_STATE_HOME"] = str(self.place / "state")

    def cases(
        self, name: str, number: int, is_lasting: bool, error: str, done: set[Any]
    ) -> Iterator[tuple[int, str]]:
        """Let the n-th write fail, for every n, until a call has fewer writes."""
        at = 0
        while True:
            at += 1
            if (self.size, name, error, at) in done:
                continue
            self.begin()
            self.is_lasting = is_lasting
            prepared = CALLS[name](self)
            signal.alarm(LONGEST_S)
            self.disk.fail(at, number, is_lasting=is_lasting)
            ended = _ended(prepared.call)
            n_calls = self.disk.heal()
            signal.alarm(0)
            prepared.leave()
            prepared.check(ended == "done")
            self.check(prepared.told)
            if n_calls < at:
                return
            yield at, ended

    def check(self, told: list[str]) -> None:
        """Require a whole store with all that was acknowledged, on which work goes on."""
        import accuracy_assay as aa
        from accuracy_assay.storage.sqlite import open_sqlite
        from accuracy_assay.storage.verify import verify_store

        with closing(open_sqlite(str(self.store), is_saving=True)) as store:
            found = verify_store(store)
            assert found.is_whole, found
        with aa.Assay.open(self.store) as assay:
            labels = dict(assay.labels().select("id", "label").iter_rows())
            for instance in (*self.ids[: self.size], *told):
                assert labels.get(instance) == self.truth[instance], f"{instance} is lost"
            new = self.ids[-1]
            assert assay.tell(new, self.truth[new], "bob") == 1
        with aa.Assay.open(self.store) as assay:
            assert new in assay.labels()["id"]


class Prepared:
    """A call that is about to be made, and what must hold after it."""

    def __init__(
        self,
        call: Callable[[], object],
        leave: Callable[[], None] = lambda: None,
        check: Callable[[bool], None] = lambda is_done: None,
        told: tuple[str, ...] = (),
    ) -> None:
        self.call, self.leave, self.check, self.told = call, leave, check, list(told)


def _ended(call: Callable[[], object]) -> str:
    """Return how a call ended: done, or one of our errors; anything else is a broken promise."""
    from accuracy_assay.errors import AssayError

    try:
        call()
    except (AssayError, OSError) as error:
        return type(error).__name__
    return "done"


def _tell(world: World) -> Prepared:
    import accuracy_assay as aa

    assay, instance = aa.Assay.open(world.store), world.ids[world.size]

    def check(is_done: bool) -> None:
        with aa.Assay.open(world.store) as again:
            assert not is_done or instance in again.labels()["id"], "acknowledged and lost"

    return Prepared(lambda: assay.tell(instance, world.truth[instance], "ann"), assay.close, check)


def _quick_tell(world: World) -> Prepared:
    import accuracy_assay as aa
    from accuracy_assay.session.quick_tell import quick_tell

    instance = world.ids[world.size]
    answer = [(instance, world.truth[instance])]

    def call() -> None:
        assert quick_tell(str(world.store), answer, "ann", is_trusted=lambda _: True) is not None

    def check(is_done: bool) -> None:
        with aa.Assay.open(world.store) as again:
            assert not is_done or instance in again.labels()["id"], "acknowledged and lost"

    return Prepared(call, check=check)


def _ask(world: World) -> Prepared:
    import accuracy_assay as aa

    assay = aa.Assay.open(world.store)
    given: list[str] = []

    def check(is_done: bool) -> None:
        with aa.Assay.open(world.store) as again:
            held = again.pending("ann")["id"].to_list()
        assert len(held) in (0, 2), "a lease in part"
        assert not is_done or set(held) == set(given), "given and not held"

    return Prepared(lambda: given.extend(assay.ask(2, annotator="ann")["id"]), assay.close, check)


def _edit(world: World) -> Prepared:
    import accuracy_assay as aa

    assay = aa.Assay.open(world.store)
    budget = assay.spec.assay.budget

    def check(is_done: bool) -> None:
        with aa.Assay.open(world.store) as again:
            assert again.spec.assay.budget in ((budget + 1,) if is_done else (budget, budget + 1))

    return Prepared(lambda: assay.edit({"assay": {"budget": budget + 1}}), assay.close, check)


def _backup(world: World) -> Prepared:
    from accuracy_assay.storage.backup import back_up
    from accuracy_assay.storage.sqlite import open_sqlite

    store = open_sqlite(str(world.store))

    def check(is_done: bool) -> None:
        assert world.copy.exists() or not is_done
        if world.copy.exists():
            with closing(open_sqlite(str(world.copy))) as copy:
                (name,) = copy.list()
                assert len(copy.read(name)) == world.size + 1
        left = {p.name for p in world.place.iterdir()} - {"v.assay", "v.assay.cache", "state"}
        scraps = {name for name in left if name.endswith(".part") and world.is_lasting}
        assert left - scraps <= {"copy.assay"}, f"scraps are left: {left}"

    return Prepared(lambda: back_up(store, world.copy), store.close, check)


def _close(world: World) -> Prepared:
    import accuracy_assay as aa

    assay, instance = aa.Assay.open(world.store), world.ids[world.size]
    assay.tell(instance, world.truth[instance], "ann")
    return Prepared(assay.close, told=(instance,))


CALLS: dict[str, Callable[[World], Prepared]] = {
    "tell": _tell,
    "ask": _ask,
    "edit": _edit,
    "backup": _backup,
    "close": _close,
    "quick tell": _quick_tell,
}

if __name__ == "__main__":
    main()
