"""How cost grows as words and tables, for a page and a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay_bench.results_page import Section, Table
from assay_bench.scale import Curve
from assay_bench.scale_fit import Power

__all__ = ["SCALE_INTRODUCTION", "SCALE_TITLE", "scale_section"]

SCALE_TITLE = "How cost grows"
SCALE_INTRODUCTION = """\
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
memory in use, libraries included. Seconds are those of the processor, which other work on the
machine stretches less than those of the clock; both are in the table, and where the clock is far
ahead the machine had other work. An estimate is made once so that all it needs is loaded and
compiled (*first*), then again, and the shortest counts.

A curve is fitted by cost = c0 + c1 size^p: c0 is what every size pays, such as the memory of the
libraries. The exponent p stands with its standard error; where the largest cost is less than 1.2
times the smallest, or the points lie on no such curve, there is none to tell."""


def scale_section(curves: Sequence[Curve], figures: Sequence[Path]) -> Section:
    """Return the section of the page: exponents, then every point."""
    exponents = Table(
        "Exponents, with standard errors",
        ("size", "from", "to", "expected of time", "time", "memory"),
        [row for curve in curves for row in _exponent_rows(curve)],
    )
    points = Table(
        "Every point",
        ("size", "", "processor, s", "clock, s", "first, s", "peak, MB", "libraries, MB"),
        [row for curve in curves for row in _point_rows(curve)],
    )
    return Section("Time and memory", "", (exponents, points), figures)


def _exponent_rows(curve: Curve) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    expected = curve.growth.expected
    fits = zip(curve.parts(), curve.time(), curve.memory(), strict=True)
    for number, (part, time, memory) in enumerate(fits):
        if not part:
            continue
        first, last = curve.sizes[part[0]], curve.sizes[part[-1]]
        wanted = f"{expected[number]:g}" if number < len(expected) else "-"
        rows.append(
            (curve.growth.unit, f"{first:,}", f"{last:,}", wanted, _word(time), _word(memory))
        )
    return rows


def _word(power: Power | None) -> str:
    return "too few points" if power is None else str(power)


def _point_rows(curve: Curve) -> list[tuple[str, ...]]:
    return [
        (
            curve.growth.unit,
            f"{size:,}",
            *(f"{x:.2f}" for x in (cost.processor_s, cost.seconds, cost.first_s)),
            f"{cost.peak_mb:,.0f}",
            f"{cost.start_mb:,.0f}",
        )
        for size, cost in zip(curve.sizes, curve.costs, strict=True)
    ]
