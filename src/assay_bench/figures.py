"""Figures of the benchmarks that are no curves of error: coverage, true surfaces, scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from accuracy_assay.reports.figure_file import write_figure
from assay_bench.line_styles import line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_coverage", "draw_quantiles", "draw_scales"]

_DPI = 130
"""Pixels per inch: 7 inches are the 900 pixels that a page of the documentation shows."""

_WIDTH, _WIDTH_WITH_LEGEND, _HEIGHT = 7.0, 9.0, 4.5
_TASK_HEIGHT = 0.42
"""Inches for one more task."""

_PANELS_PER_ROW, _PANEL_HEIGHT, _TITLE_HEIGHT = 3, 2.2, 1.2
_GOOD_SHARE = (85.0, 95.0)
"""Percentage of 90% intervals that should hold: what is promised, and five points about it."""

_DIRICHLET = "-dirichlet"
"""Ending of a method of the simple setting whose scales are supervised as in the paper's text."""

_RANGES = ((0.0, 1.0, "#d6e4f2"), (0.1, 0.9, "#9dbfe0"), (0.3, 0.7, "#4a86c0"))
"""Between which quantiles a bar goes, and its colour: the middle of the arms is the darkest."""


def draw_coverage(summary: pl.DataFrame, path: Path) -> None:
    """Draw the share of arms' intervals that hold against labels: a panel per task.

    Parameters
    ----------
    summary
        The summary of the coverage experiment.
    path
        File to write.
    """
    from matplotlib.figure import Figure

    tasks = summary["task"].unique(maintain_order=True).to_list()
    methods = summary["method"].unique(maintain_order=True).to_list()
    columns = min(len(tasks), _PANELS_PER_ROW)
    lines = -(-len(tasks) // columns)
    figure = Figure(
        figsize=(_WIDTH_WITH_LEGEND, _PANEL_HEIGHT * lines + _TITLE_HEIGHT), layout="constrained"
    )
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes, task in zip(grid.flat, tasks, strict=False):
        _draw_panel(axes, summary.filter(pl.col("task") == task), methods)
        axes.set_title(task, fontsize="medium")
    for axes in grid.flat[len(tasks) :]:
        axes.set_axis_off()
    named, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(named, labels, loc="outside lower center", ncols=2, fontsize="small")
    figure.suptitle("Arms of 20 rows or more: percentage of 90% intervals that hold, by labels")
    write_figure(figure, path, dpi=_DPI, what="figure")


def draw_quantiles(
    quantiles: Mapping[str, Mapping[float, float]],
    overall: Mapping[str, float],
    worst: Mapping[str, Sequence[float]],
    path: Path,
) -> None:
    """Draw a row per task: quantiles of its arms, its worst arms and its overall accuracy.

    Parameters
    ----------
    quantiles
        Accuracy by probability, by task.
    overall
        Accuracy over all rows, by task.
    worst
        Accuracies of the least accurate arms, by task.
    path
        File to write.
    """
    from matplotlib.figure import Figure

    height = _TITLE_HEIGHT + 0.8 + _TASK_HEIGHT * len(quantiles)
    figure = Figure(figsize=(_WIDTH_WITH_LEGEND, height), layout="constrained")
    axes = figure.add_subplot()
    for row, (task, found) in enumerate(quantiles.items()):
        is_first = row == 0
        for low, high, colour in _RANGES:
            name = f"quantiles {low:g} to {high:g}" if is_first else None
            width = found[high] - found[low]
            axes.barh(row, width, left=found[low], height=0.5, color=colour, label=name)
        axes.vlines(found[0.5], row - 0.25, row + 0.25, color="white", linewidth=2.0)
        axes.plot(
            list(worst[task]),
            [row + 0.36] * len(worst[task]),
            linestyle="none",
            marker="|",
            color="#d62728",
            label=f"the {len(worst[task])} worst arms" if is_first else None,
        )
        axes.plot(
            overall[task],
            row,
            marker="D",
            color="black",
            linestyle="none",
            markersize=5,
            label="accuracy over all rows" if is_first else None,
        )
    axes.set_yticks(range(len(quantiles)), [_broken(task) for task in quantiles])
    axes.set(xlabel="accuracy of the arm; white: the median", xlim=(-0.02, 1.02))
    axes.set_ylim(len(quantiles) - 0.4, -0.6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=5, fontsize="small", frameon=False)
    figure.suptitle("True surfaces: accuracies of the arms with at least five rows")
    write_figure(figure, path, dpi=_DPI, what="figure")


def draw_scales(
    scales: Mapping[str, Sequence[float]], labels: Sequence[float], path: Path
) -> None:
    """Draw the scale of each arm by method, above the number of labels of each arm."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    arms = list(range(1, len(labels) + 1))
    axes.bar(arms, labels, color="0.93", label="labels")
    for k, (method, by_arm) in enumerate(scales.items()):
        style = line_style(method.removesuffix(_DIRICHLET), k)
        if method.endswith(_DIRICHLET):
            style["linestyle"] = "--"
        axes.plot(arms, by_arm, markersize=4, label=method, **style)
    axes.set(xlabel="arm", ylabel="scale, labels", title="Simple setting: scale by arm")
    axes.set_xticks(arms)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, fontsize="small", frameon=False)
    write_figure(figure, path, dpi=_DPI, what="figure")


def _draw_panel(axes: Axes, part: pl.DataFrame, methods: Sequence[str]) -> None:
    axes.axhspan(*_GOOD_SHARE, color="0.92")
    for k, method in enumerate(methods):
        curve = part.filter(pl.col("method") == method).sort("labels")
        axes.plot(
            curve["labels"].to_numpy(),
            curve["arms_90"].to_numpy(),
            label=method,
            marker="o",
            markersize=3,
            color=f"C{k}",
        )
    axes.set_xscale("log")


def _broken(task: str) -> str:
    """Return a task's name with its settings on a line of their own."""
    return task.replace(":", ":\n")
