"""How the cost of an estimate grows: time and memory against each size, as a page with a figure.

    python benchmarks/scale.py [--quick] [--finished] [--most 60] [--out out/scale] [--page PAGE]

Each point is two processes, ``scale.py make|measure GROWTH SIZE FOLDER``: one writes the tables,
and one estimates from them, so that its peak of memory is its own. The first estimate compiles
what it needs and stands apart; then the same one is repeated, and the shortest counts. Points are
kept in ``OUT/scale.jsonl``; the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scale_fit import Power, fit_power
from scale_worlds import GROWTHS, Growth, find_growth

import accuracy_assay as aa
from assay_bench.provenance import code_version, describe_machine, describe_origin

if TYPE_CHECKING:  # a process that measures memory draws nothing
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_REPEATS, ENOUGH_S = 3, 2.0
"""An estimate is repeated at most so often, and not once that many seconds were spent on it."""

DPI, WIDTH, ROW_HEIGHT, COLUMNS = 130, 10.0, 2.3, 3
TIME, MEMORY = "#0060a8", "#b8500b"
ROOM = 3.0
"""Least ratio of the largest to the smallest value of an axis: noise must not look like growth."""

INTRODUCTION = """\
What `estimate` and the overall accuracy of its surface cost in time and memory as one size grows
and all others stay. Worlds are made up and lie in Parquet before the clock starts; a table of
millions of rows repeats a file of one million:

- **rows**: a pool of rows with six attributes (288 arms), beside 2,000 labels;
- **arms**: a pool of two rows per occupied arm, in a space of about a million, beside 2,000 labels
  of 500 arms;
- **cells**: every label is of another cell of that space; past the dotted line the exact fit,
  which is cubic in them, gives way to an approximate one. Hyper-parameters are learned from 1,536
  cells at most in both, so the cube is one term of several;
- **labels**: labelled rows of the six attributes, no pool;
- **signals**: 20,000 rows of 36 arms, 2,000 labels, and as many noisy numeric signals;
- **guessed**: a pool whose three attributes are all guessed (40 arms), 500 rows with gold.

Each point is a process of its own, so that its peak of memory is its own: the kernel's count of
memory in use, libraries included. Processor seconds suffer less from other work on the machine
than those of the clock; where the clock is far ahead, the machine had other work. An estimate is
made once so that all it needs is loaded and compiled (*first*), then again, and the shortest
counts.

A curve is fitted by cost = c0 + c1 size^p: c0 is what every size pays, such as the memory of the
libraries. The exponent p has its standard error beside it. Where the largest cost is less than 1.2
times the smallest, or the points lie on no such curve, none is shown."""


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


Measure = Callable[[str, int], Cost]


@dataclass(frozen=True, slots=True)
class Curve:
    """What one way to grow cost, from small to large."""

    growth: Growth
    costs: dict[int, Cost]

    def parts(self) -> list[list[int]]:
        """Return the sizes on each side of the switch."""
        sizes, switch = list(self.costs), self.growth.switch
        if switch is None:
            return [sizes]
        return [[n for n in sizes if n <= switch], [n for n in sizes if n > switch]]

    def time(self) -> list[Power | None]:
        """Return how processor seconds grow, on each side of the switch."""
        return [fit_power(part, self.column("processor_s", part)) for part in self.parts()]

    def memory(self) -> list[Power | None]:
        """Return how memory grows beyond that of the libraries, in the same parts."""
        known = min((cost.start_mb for cost in self.costs.values()), default=0.0)
        return [fit_power(part, self.column("peak_mb", part), known) for part in self.parts()]

    def column(self, what: str, sizes: Sequence[int]) -> list[float]:
        """Return one of the costs by size."""
        return [getattr(self.costs[size], what) for size in sizes]


def main() -> None:
    if sys.argv[1:2] == ["make"] or sys.argv[1:2] == ["measure"]:
        step, growth, size, folder = sys.argv[1:]
        run_step(step, growth, int(size), Path(folder))
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="sizes that take a minute in all")
    parser.add_argument("--finished", action="store_true", help="measure nothing")
    parser.add_argument("--most", type=float, default=100.0, help="seconds of the largest point")
    parser.add_argument("--out", type=Path, default=Path("out/scale"))
    parser.add_argument("--page", type=Path, help="such as docs/scale.md; by default in --out")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    curves = measure_curves(
        given.out / "scale.jsonl",
        None if given.finished else measure_point,
        given.most,
        is_quick=given.quick,
    )
    page = given.page or given.out / "scale.md"
    figure = page.parent / "assets/results/cost-growth.png"
    figure.parent.mkdir(parents=True, exist_ok=True)
    draw(curves).savefig(figure, dpi=DPI, facecolor="white")
    options = f"--most {given.most:g}" + " --quick" * given.quick + " --finished" * given.finished
    page.write_text(
        describe(curves, f"python benchmarks/scale.py {options}", figure.relative_to(page.parent)),
        encoding="utf-8",
    )
    print(f"wrote {page} and {figure}")


def measure_curves(
    kept: Path, measure: Measure | None, most_s: float, *, is_quick: bool = False
) -> list[Curve]:
    """Measure every way to grow from small to large; after a point above ``most_s`` no larger one.

    Points in the file ``kept`` are not measured again; without ``measure`` they are all there is.
    """
    known = read_points(kept)
    curves = []
    for growth in GROWTHS:
        costs: dict[int, Cost] = {}
        for size in growth.quick_sizes if is_quick else growth.sizes:
            if (growth.name, size) in known:
                costs[size] = known[growth.name, size]
            elif measure is not None:
                print(f"{growth.name}, {size:,}", file=sys.stderr)
                costs[size] = measure(growth.name, size)
                record = {"growth": growth.name, "size": size, "code": code_version()}
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record | asdict(costs[size])) + "\n")
            if size in costs and costs[size].seconds > most_s:
                break
        curves.append(Curve(growth, costs))
    return curves


def read_points(kept: Path) -> dict[tuple[str, int], Cost]:
    """Return what the present code was measured at."""
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
    found = {}
    for record in map(json.loads, lines):
        place = record.pop("growth"), record.pop("size")
        if record.pop("code") == code_version():
            found[place] = Cost(**record)
    return found


def measure_point(growth: str, size: int) -> Cost:
    """Make the world of a point and measure it, each in a process of its own."""
    with TemporaryDirectory(prefix="assay-scale-") as folder:
        for step in ("make", "measure"):
            command = [sys.executable, __file__, step, growth, str(size), folder]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
                raise SystemExit(f"{growth}, size {size}: {last[0]}")
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def run_step(step: str, growth: str, size: int, folder: Path) -> None:
    """Make a world in ``folder``, or estimate from it and print what that cost."""
    written = folder / "arguments.json"
    if step == "make":
        made = find_growth(growth).make(folder, size, np.random.default_rng(0))
        written.write_text(json.dumps(made), encoding="utf-8")
        return
    arguments = json.loads(written.read_text(encoding="utf-8"))
    arguments |= {name: folder / arguments[name] for name in ("rows", "pool") if name in arguments}
    print(json.dumps(asdict(measure_estimate(arguments))))


def measure_estimate(arguments: dict[str, Any], most_repeats: int = MOST_REPEATS) -> Cost:
    """Return what an estimate costs in this process."""
    rows = pl.DataFrame({"a": ["x", "y"] * 4, "correct": [1.0, 1.0, 0.0, 1.0] * 2})
    _ = aa.estimate(rows, ["a"], "correct").overall  # loads what no point should pay for
    start_mb = peak_mb()
    clock: list[float] = []
    processor: list[float] = []
    for repeat in range(1 + most_repeats):
        before = time.perf_counter(), processor_s()
        _ = aa.estimate(**arguments).overall
        clock.append(time.perf_counter() - before[0])
        processor.append(processor_s() - before[1])
        if repeat > 0 and sum(clock[1:]) > ENOUGH_S:
            break
    # The kernel sums pages by thread now and then, so a later reading may be a little lower.
    peak = max(peak_mb(), start_mb)
    return Cost(min(clock[1:]), min(processor[1:]), clock[0], peak, start_mb)


def peak_mb() -> float:
    """Return the most memory that this process has held, in megabytes.

    The kernel's own count where there is one: that of `resource` begins with the memory of the
    process that started this one.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if sys.platform == "darwin":  # which counts bytes
            kilobytes //= 1024
    return kilobytes / 1024


def processor_s() -> float:
    """Return the seconds that this process and those it started kept processors busy."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def describe(curves: Sequence[Curve], command: str, figure: Path) -> str:
    """Return the page."""
    run = [("", "value"), ("made by", describe_origin()), *describe_machine().items()]
    exponents = [("size", "from", "to", "expected of time", "time", "memory")]
    points = [("size", "", "processor, s", "clock, s", "first, s", "peak, MB", "libraries, MB")]
    for curve in curves:
        expected = [*(f"{power:g}" for power in curve.growth.expected), "-", "-"]
        fits = zip(curve.parts(), expected, curve.time(), curve.memory(), strict=False)
        for part, wanted, *powers in fits:
            if part:
                time_power, memory_power = (
                    "too few points" if power is None else str(power) for power in powers
                )
                ends = f"{part[0]:,}", f"{part[-1]:,}"
                exponents.append((curve.growth.unit, *ends, wanted, time_power, memory_power))
        for size, cost in curve.costs.items():
            seconds = (f"{x:.2f}" for x in (cost.processor_s, cost.seconds, cost.first_s))
            megabytes = (f"{x:,.0f}" for x in (cost.peak_mb, cost.start_mb))
            points.append((curve.growth.unit, f"{size:,}", *seconds, *megabytes))
    parts = (
        "# How cost grows",
        f"Made by `{command}`; no figure on this page is typed in by hand.",
        INTRODUCTION,
        table("The run", run),
        "## Time and memory",
        f"![cost-growth]({figure.as_posix()})",
        table("Exponents, with standard errors", exponents),
        table("Every point", points),
    )
    return "\n\n".join(parts) + "\n"


def table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Return rows as Markdown, the first of them as the head."""
    lines = [rows[0], ("---", *("---:" for _ in rows[0][1:])), *rows[1:]]
    return "\n".join([f"**{title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def draw(curves: Sequence[Curve]) -> Figure:
    """Draw a panel of time above one of memory for each curve that has points."""
    from matplotlib.figure import Figure

    drawn = [curve for curve in curves if curve.costs]
    n_lines = max(1, -(-len(drawn) // COLUMNS))
    figure = Figure(figsize=(WIDTH, 2 * ROW_HEIGHT * n_lines), layout="constrained")
    grid = figure.subplots(2 * n_lines, COLUMNS, squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for number, curve in enumerate(drawn):
        line, column = divmod(number, COLUMNS)
        above, below = grid[2 * line, column], grid[2 * line + 1, column]
        draw_panel(above, curve, "processor_s", curve.time(), TIME)
        draw_panel(below, curve, "peak_mb", curve.memory(), MEMORY)
        above.set_title(curve.growth.unit, fontsize="medium", fontweight="bold")
        below.set_xlabel(curve.growth.unit)
        if column == 0:
            above.set_ylabel("processor seconds")
            below.set_ylabel("peak memory, MB")
    return figure


def draw_panel(
    axes: Axes, curve: Curve, what: str, powers: Sequence[Power | None], colour: str
) -> None:
    """Draw points on logarithmic axes, fitted powers and their exponents."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    sizes = list(curve.costs)
    values = curve.column(what, sizes)
    axes.set_axis_on()
    axes.plot(sizes, values, linestyle="none", marker="o", markersize=5, color=colour)
    said = []
    for part, power in zip(curve.parts(), powers, strict=True):
        if power is not None:
            at = np.geomspace(part[0], part[-1], 50)
            axes.plot(at, power.at(at), color=colour, linewidth=1.2)
            said.append(str(power))
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
    axes.tick_params(labelsize="small")
    low, high = min(values), max(values)
    wider = max(ROOM * low / high, 1.0) ** 0.5
    axes.set_ylim(low / wider / 1.4, high * wider * 2.5)  # above the points: room for the words
    if curve.growth.switch is not None and sizes[-1] > curve.growth.switch:
        axes.axvline(curve.growth.switch, color="0.6", linewidth=1.0, linestyle=":")
    if said:
        words = ("exponent " if said[0][0].isdigit() else "") + ", then ".join(said)
        axes.text(0.03, 0.97, words, transform=axes.transAxes, va="top", fontsize="small")
    axes.grid(which="major", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def short_number(value: float) -> str:
    """Return a number as a mark of an axis shows it: 0.05, 250, 3k, 20M."""
    for least, letter in ((1e6, "M"), (1e3, "k")):
        if value >= least:
            return f"{value / least:g}{letter}"
    return f"{value:g}"


if __name__ == "__main__":
    main()
