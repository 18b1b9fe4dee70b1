"""Time and memory against every size, on logarithmic axes, with the fitted powers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.reports.figure_file import write_figure
from assay_bench.scale import Curve
from assay_bench.scale_fit import Power

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_scale", "short_number"]

_DPI = 130
"""Pixels per inch, as in the other figures."""

_WIDTH, _ROW_HEIGHT, _COLUMNS = 10.0, 2.3, 3
_TIME, _MEMORY = "#0060a8", "#b8500b"
_ROOM = 3.0
"""Least ratio of the largest to the smallest value of an axis: noise must not look like growth."""


def draw_scale(curves: Sequence[Curve], path: Path) -> None:
    """Draw a panel of time above one of memory for each curve.

    Parameters
    ----------
    curves
        Those with at least one point are drawn.
    path
        File to write.
    """
    from matplotlib.figure import Figure

    drawn = [curve for curve in curves if curve.sizes]
    n_lines = max(1, -(-len(drawn) // _COLUMNS))
    figure = Figure(figsize=(_WIDTH, 2 * _ROW_HEIGHT * n_lines), layout="constrained")
    grid = figure.subplots(2 * n_lines, _COLUMNS, squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for number, curve in enumerate(drawn):
        line, column = divmod(number, _COLUMNS)
        above, below = grid[2 * line, column], grid[2 * line + 1, column]
        seconds = [cost.processor_s for cost in curve.costs]
        megabytes = [cost.peak_mb for cost in curve.costs]
        _draw_curve(above, curve, seconds, curve.time(), _TIME)
        _draw_curve(below, curve, megabytes, curve.memory(), _MEMORY)
        above.set_title(curve.growth.unit, fontsize="medium", fontweight="bold")
        below.set_xlabel(curve.growth.unit)
        if column == 0:
            above.set_ylabel("processor seconds")
            below.set_ylabel("peak memory, MB")
    write_figure(figure, path, dpi=_DPI, what="figure")


def short_number(value: float) -> str:
    """Return a number as a mark of an axis shows it.

    Examples
    --------
    >>> [short_number(n) for n in (0.05, 250, 3_000, 20_000_000)]
    ['0.05', '250', '3k', '20M']
    """
    for least, letter in ((1e6, "M"), (1e3, "k")):
        if value >= least:
            return f"{value / least:g}{letter}"
    return f"{value:g}"


def _draw_curve(
    axes: Axes, curve: Curve, values: Sequence[float], powers: Sequence[Power | None], colour: str
) -> None:
    """Draw points, fitted powers and their exponents."""
    axes.set_axis_on()
    axes.plot(curve.sizes, values, linestyle="none", marker="o", markersize=5, color=colour)
    said = []
    for part, power in zip(curve.parts(), powers, strict=True):
        if power is None:
            continue
        at = np.geomspace(curve.sizes[part[0]], curve.sizes[part[-1]], 50)
        axes.plot(at, power.at(at), color=colour, linewidth=1.2)
        said.append(str(power))
    axes.set(xscale="log", yscale="log")
    _mark(axes, curve.sizes)
    low, high = min(values), max(values)
    wider = max(_ROOM * low / high, 1.0) ** 0.5
    axes.set_ylim(low / wider / 1.4, high * wider * 2.5)  # above the points: room for the words
    if curve.growth.switch is not None and curve.sizes[-1] > curve.growth.switch:
        axes.axvline(curve.growth.switch, color="0.6", linewidth=1.0, linestyle=":")
    if said:
        words = ", then ".join(said)
        if said[0][0].isdigit():
            words = f"exponent {words}"
        axes.text(0.03, 0.97, words, transform=axes.transAxes, va="top", fontsize="small")
    axes.grid(which="major", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _mark(axes: Axes, sizes: Sequence[int]) -> None:
    """Mark every size that was measured, and values at 1, 2 and 5, with short plain numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    axes.xaxis.set_major_locator(FixedLocator(list(sizes)))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
    axes.tick_params(labelsize="small")
