"""How cost grows: every way to grow, measured from small to large, resumed where it stopped."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accuracy_assay.files.whole_file import write_whole
from assay_bench.finished_runs import FinishedRuns
from assay_bench.scale_fit import Power, fit_power
from assay_bench.scale_point import Cost, ScalePoint, measure_point
from assay_bench.scale_worlds import GROWTHS, Growth

__all__ = ["Curve", "measure_scale", "write_curves"]

OnStep = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Curve:
    """What one way to grow cost, from small to large."""

    growth: Growth
    sizes: tuple[int, ...]
    costs: tuple[Cost, ...]

    def time(self) -> list[Power | None]:
        """Return how processor seconds grow: up to the switch and past it, where there is one."""
        return [self._power(part, "processor_s") for part in self.parts()]

    def memory(self) -> list[Power | None]:
        """Return how memory grows beyond that of the libraries, in the same parts."""
        libraries = min((cost.start_mb for cost in self.costs), default=0.0)
        return [self._power(part, "peak_mb", libraries) for part in self.parts()]

    def parts(self) -> list[list[int]]:
        """Return the positions of points on each side of the switch."""
        here = range(len(self.sizes))
        if self.growth.switch is None:
            return [list(here)]
        is_past = [size > self.growth.switch for size in self.sizes]
        return [[i for i in here if is_past[i] == side] for side in (False, True)]

    def to_dict(self) -> dict[str, Any]:
        """Return the points and the exponents, for a file."""
        points = zip(self.sizes, self.costs, strict=True)
        return {
            "name": self.growth.name,
            "unit": self.growth.unit,
            "points": [{"size": size, **cost.to_dict()} for size, cost in points],
            "expected": list(self.growth.expected),
            "time": [_exponent(power) for power in self.time()],
            "memory": [_exponent(power) for power in self.memory()],
        }

    def _power(self, part: Sequence[int], what: str, known: float = 0.0) -> Power | None:
        costs = [getattr(self.costs[i], what) for i in part]
        return fit_power([self.sizes[i] for i in part], costs, known)


def measure_scale(
    out: Path,
    most_s: float,
    *,
    is_quick: bool = False,
    is_fresh: bool = False,
    finished_only: bool = False,
    on_step: OnStep | None = None,
) -> list[Curve]:
    """Measure every way to grow and return its curve.

    Parameters
    ----------
    out
        Folder of finished points; the same call goes on where it was stopped.
    most_s
        Seconds that a point may take: after one that took longer no larger size is measured.
    is_quick
        Whether sizes are so small that all of it takes a minute.
    is_fresh
        Whether finished points are measured again.
    finished_only
        Whether nothing is measured.
    on_step
        Told (finished, all, what is next).
    """
    finished = FinishedRuns(out / "scale.jsonl")
    growths = [(growth, growth.quick_sizes if is_quick else growth.sizes) for growth in GROWTHS]
    points = [ScalePoint(growth.name, size) for growth, sizes in growths for size in sizes]
    known = {} if is_fresh else finished.find(points)
    curves, n_done = [], 0
    for growth, sizes in growths:
        found: dict[int, Cost] = {}
        for number, size in enumerate(sizes):
            point = ScalePoint(growth.name, size)
            if on_step is not None:
                on_step(n_done + number, len(points), f"{growth.name}, {size:,}")
            if point in known:
                found[size] = Cost(**known[point][0])
            elif finished_only:
                continue
            else:
                found[size] = measure_point(point)
                finished.append(point, [found[size].to_dict()])
            if found[size].seconds > most_s:
                break
        n_done += len(sizes)
        curves.append(Curve(growth, tuple(found), tuple(found.values())))
    if on_step is not None:
        on_step(len(points), len(points), "")
    return curves


def write_curves(curves: Sequence[Curve], path: Path) -> None:
    """Write the curves as JSON."""
    write_whole(
        path, json.dumps([curve.to_dict() for curve in curves], indent=1) + "\n", "results"
    )


def _exponent(power: Power | None) -> dict[str, float | None] | None:
    if power is None:
        return None
    error = power.standard_error
    return {
        "exponent": power.exponent,
        "standard_error": error if math.isfinite(error) else None,
    }
