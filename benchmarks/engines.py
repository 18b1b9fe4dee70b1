"""The same work by the local engine and by Ray: seconds, rows per second of one core, the ratio.

    python benchmarks/engines.py --counted 2e7 --guessed 1e6

Rows are made into folders of Parquet, which are deleted afterwards: six exact attributes with
5,760 arms to be counted, and four guessed ones with 1,080 arms to be affiliated, by the
calibration ``full``. Both engines get the same parts. ``work`` is what the parts took, in
processor seconds of whoever did them; ``here`` is the processor time of the process that asks,
with the calibration and the merging of what workers send; the rate is rows per second of ``work``,
that is per core. The ratio in the last column is the time on the clock against the local engine's.
The tables must be equal. Starting Ray, and what workers import before their first part, is not
counted: Ray works once before.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from guessed_rows import write_rows
from polars.testing import assert_frame_equal
from stream_rows import make

import accuracy_assay as aa
from accuracy_assay.runtime.engine import LOCAL, Engine, engine

EXACT = (6, 5, 4, 4, 3, 4)
GUESSED = (6, 6, 6, 5)
SIGNAL = 2.2
"""How strong the predictors of guessed attributes are: right four times in five."""


@dataclass
class Timed:
    """An engine that adds up the processor seconds of its parts."""

    engine: Engine
    spent: list[float] = field(default_factory=list)

    @property
    def n_workers(self) -> int:
        """As many as the engine has."""
        return self.engine.n_workers

    def map(self, work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        """Yield the engine's results, and note what each part took."""
        for result, seconds in self.engine.map(_Timing(work), parts):
            self.spent.append(seconds)
            yield result

    def map_as_done(self, work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        """Yield them in their order."""
        return self.map(work, parts)


@dataclass(frozen=True)
class _Timing:
    work: Callable[[Any], Any]

    def __call__(self, part: Any) -> tuple[Any, float]:
        begun = time.process_time()
        result = self.work(part)
        return result, time.process_time() - begun


def count(folder: Path, working: Engine) -> pl.DataFrame:
    names = [f"a{k}" for k in range(len(EXACT))]
    surface = aa.estimate(folder, names, "correct", estimator="beta-independent", engine=working)
    return surface.to_frame()


def affiliate(folder: Path, working: Engine) -> pl.DataFrame:
    names = [f"a{k}" for k in range(len(GUESSED))]
    surface = aa.estimate(
        folder / "labelled.parquet",
        [aa.Attribute(a, tuple(range(n))) for a, n in zip(names, GUESSED, strict=True)],
        "correct",
        pool=folder / "pool",
        evidence={name: f"p_{name}__*" for name in names},
        estimator="beta-independent",
        engine=working,
    )
    return surface.to_frame()


def compare(what: str, do: Callable[[Path, Engine], pl.DataFrame], folder: Path, n: int) -> None:
    found: list[pl.DataFrame] = []
    first = 0.0
    for name, one in (("local", LOCAL), ("ray", engine("ray"))):
        timed = Timed(one)
        begun, here = time.perf_counter(), time.process_time()
        found.append(do(folder, timed))
        wall, work = time.perf_counter() - begun, sum(timed.spent)
        here = time.process_time() - here - (work if one is LOCAL else 0.0)
        first = first or wall
        print(
            f"{what}, {name}: {n:,} rows in {len(timed.spent)} parts, {wall:.1f} s; work "
            f"{work:.1f} s, here {here:.1f} s; {n / work:,.0f} rows per second and core; "
            f"{wall / first:.2f} of the local time",
            flush=True,
        )
    assert_frame_equal(*found, check_exact=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counted", type=float, default=1e7)
    parser.add_argument("--guessed", type=float, default=1e6)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="engines-") as name:
        folder = Path(name)
        for each in ("counted", "warm", "guessed"):
            (folder / each).mkdir()
        make(folder / "warm", 1_000, list(EXACT))
        make(folder / "counted", int(options.counted), list(EXACT))
        write_rows(folder / "guessed", GUESSED, int(options.guessed), SIGNAL)
        begun = time.perf_counter()
        count(folder / "warm", engine("ray"))
        print(f"ray starts and counts 1,000 rows in {time.perf_counter() - begun:.1f} s")
        compare("counting", count, folder / "counted", int(options.counted))
        compare("affiliation", affiliate, folder / "guessed", int(options.guessed))


if __name__ == "__main__":
    main()
