"""How far `Assay.ask` walks: modules of ours that it enters, the deepest call, and how many calls.

A pool of 1,500 rows with two services, 72 labels, a store that is opened anew, the default
methods. Frames of other packages (Polars, JAX, SQLAlchemy) count neither as calls nor as depth,
nor does the importing of modules.
``--deepest`` prints the deepest chain of calls, ``--modules`` the modules with their calls.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import polars as pl

import accuracy_assay as aa

OURS = str(Path(aa.__file__).parent)
N_ROWS, N_LABELS, BATCH = 1_500, 72, 12


@dataclass
class Walk:
    """What was entered between `start` and `stop`."""

    calls: Counter[str] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)
    deepest: list[str] = field(default_factory=list)
    _stack: list[str] = field(default_factory=list)
    _n_imports: int = 0

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Take in a call or a return; for `sys.setprofile`."""
        name = frame.f_code.co_filename
        if not name.startswith(OURS):
            return
        module = name[len(OURS) + 1 :].removesuffix(".py")
        if frame.f_code.co_name == "<module>":
            self._n_imports += {"call": 1, "return": -1}.get(event, 0)
        elif self._n_imports:
            return
        elif event == "call":
            where = f"{module}:{frame.f_code.co_qualname}"
            self.calls[module] += 1
            self.functions[where] += 1
            self._stack.append(where)
            if len(self._stack) > len(self.deepest):
                self.deepest = list(self._stack)
        elif event == "return" and self._stack:
            self._stack.pop()

    @contextmanager
    def tracing(self):
        """Follow the calls of this thread."""
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)


def make_assay(store: Path, labels: int = N_LABELS, rows: int = N_ROWS) -> None:
    """Make a store whose annotators have answered some rounds."""
    pool = pl.DataFrame(
        {
            "id": [f"x{i:05d}" for i in range(rows)],
            "sex": ["fm"[i % 2] for i in range(rows)],
            "age": ["abcde"[i * 7 % 11 % 5] for i in range(rows)],
            "accent": ["xyz"[i * 5 % 13 % 3] for i in range(rows)],
            "first": [["cat", "dog"][i * 3 % 7 % 2] for i in range(rows)],
            "second": [["cat", "dog"][i * 3 % 5 % 2] for i in range(rows)],
        }
    )
    path = store.with_suffix(".csv")
    pool.write_csv(path)
    spec = {
        "assay": {"name": "walk", "budget": 10 * N_ROWS, "batch": BATCH},
        "pool": {"path": str(path)},
        "attribute": [{"name": "sex"}, {"name": "age"}, {"name": "accent"}],
        "service": [{"name": s, "column": s} for s in ("first", "second")],
        "label": {"choices": ["cat", "dog"]},
    }
    with aa.Assay.create(store, spec) as assay:
        for start in range(0, labels, BATCH):
            ids = [f"x{i * 17 % rows:05d}" for i in range(start, start + BATCH)]
            assay.tell(ids, ["cat"] * len(ids), "ann")


def report(name: str, walk: Walk, options: argparse.Namespace) -> None:
    """Print what was found."""
    print(
        f"{name:24} modules {len(walk.calls):4}   depth {len(walk.deepest):3}   "
        f"calls {walk.calls.total():7,}"
    )
    if options.modules:
        for module, n in walk.calls.most_common():
            print(f"    {n:7,} {module}")
    if options.functions:
        for function, n in walk.functions.most_common(options.functions):
            print(f"    {n:7,} {function}")
    if options.deepest:
        print("\n".join(f"    {i:3} {where}" for i, where in enumerate(walk.deepest, 1)))


def traced(call: Callable[[], Any]) -> tuple[Walk, Any]:
    """Return what a call enters, and its result."""
    walk = Walk()
    with walk.tracing():
        result = call()
    return walk, result


def main() -> None:
    """Trace opening a store, the first question in it, and the next one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--deepest", action="store_true")
    parser.add_argument("--modules", action="store_true")
    parser.add_argument("--functions", type=int, default=0, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "walk.assay"
        make_assay(store)
        opened, assay = traced(lambda: aa.Assay.open(store))
        report("Assay.open", opened, options)
        first, batch = traced(lambda: assay.ask(BATCH, annotator="ann"))
        report("Assay.ask (fits)", first, options)
        again, _ = traced(lambda: assay.ask(BATCH, annotator="bea"))
        report("Assay.ask (again)", again, options)
        ids = batch.get_column("id").to_list()
        told, _ = traced(lambda: assay.tell(ids, ["cat"] * len(ids), "ann"))
        report("Assay.tell", told, options)
        status, _ = traced(assay.status)
        report("Assay.status", status, options)
        assay.close()


if __name__ == "__main__":
    main()
