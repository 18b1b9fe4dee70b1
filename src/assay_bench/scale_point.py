"""One point of a curve of cost: a world of one size, estimated in a process of its own.

A process of its own has a peak of memory of its own. It makes nothing: the tables lie there when
it starts. The first estimate compiles what it needs and stands apart; then the same estimate is
made again, from the tables on, until the time given for it is used up, and the shortest counts.
``python -m assay_bench.scale_point make|measure NAME SIZE FOLDER`` is that process.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accuracy_assay.errors import AssayError
from assay_bench.scale_worlds import find_growth, make_world

__all__ = ["Cost", "ScalePoint", "measure_point"]

_ARGUMENTS = "arguments.json"
_TABLES = ("rows", "pool")
_MOST_REPEATS, _ENOUGH_S = 3, 2.0
"""An estimate is repeated at most so often, and not once that many seconds were spent on it."""

_MB = 2**20


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """A way to grow and a size."""

    growth: str
    size: int

    def key(self) -> dict[str, object]:
        """Return what tells this point from others."""
        return {"growth": self.growth, "size": self.size}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a point cost.

    Parameters
    ----------
    seconds, processor_s
        Of an estimate and its overall accuracy, by the clock and by the processor, with all that
        is compiled at hand.
    first_s
        Of the first one in the process, by the clock: what is compiled is on top.
    peak_mb, start_mb
        Most memory of the process, and that of one which has loaded the libraries.
    """

    seconds: float
    processor_s: float
    first_s: float
    peak_mb: float
    start_mb: float

    def to_dict(self) -> dict[str, float]:
        """Return the figures by name."""
        return asdict(self)


def measure_point(point: ScalePoint) -> Cost:
    """Make the world of a point and measure it, each in a process of its own."""
    with TemporaryDirectory(prefix="assay-scale-") as folder:
        _start("make", point, folder)
        return Cost(**json.loads(_start("measure", point, folder).splitlines()[-1]))


def _start(step: str, point: ScalePoint, folder: str) -> str:
    """Run one step in a new process and return what it prints."""
    command = [sys.executable, "-m", __name__, step, point.growth, str(point.size), folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise AssayError(f"{point.growth}, size {point.size}: {last[0]}")
    return done.stdout


def measure(folder: Path) -> Cost:
    """Estimate from the tables in ``folder`` and return what it costs in this process."""
    import accuracy_assay as aa

    arguments: dict[str, Any] = json.loads((folder / _ARGUMENTS).read_text(encoding="utf-8"))
    for name in _TABLES:
        if name in arguments:
            arguments[name] = folder / arguments[name]
    _warm_up()
    start_mb = peak_mb()
    clock: list[float] = []
    processor: list[float] = []
    for repeat in range(1 + _MOST_REPEATS):
        before = time.perf_counter(), _processor_s()
        _ = aa.estimate(**arguments).overall
        clock.append(time.perf_counter() - before[0])
        processor.append(_processor_s() - before[1])
        if repeat > 0 and sum(clock[1:]) > _ENOUGH_S:
            break
    return Cost(min(clock[1:]), min(processor[1:]), clock[0], peak_mb(), start_mb)


def _warm_up() -> None:
    """Load what an estimate loads, so that no point pays for it."""
    import polars as pl

    import accuracy_assay as aa

    rows = pl.DataFrame({"a": ["x", "y"] * 4, "correct": [1.0, 1.0, 0.0, 1.0] * 2})
    _ = aa.estimate(rows, ["a"], "correct").overall


def peak_mb() -> float:
    """Return the most memory that this process has held, in megabytes.

    The kernel's own count of the process where there is one: what `resource` says begins with the
    memory of the process that started it.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if sys.platform == "darwin":  # which counts bytes
            kilobytes //= 1024
    return 1024 * kilobytes / _MB


def _processor_s() -> float:
    """Return the seconds that this process and those it started kept processors busy."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def main(arguments: list[str]) -> None:
    """Make or measure, as the command line says."""
    step, name, size, folder = arguments
    if step == "make":
        made: Mapping[str, Any] = make_world(find_growth(name), int(size), Path(folder))
        (Path(folder) / _ARGUMENTS).write_text(json.dumps(made), encoding="utf-8")
    else:
        print(json.dumps(measure(Path(folder)).to_dict()))


if __name__ == "__main__":
    main(sys.argv[1:])
