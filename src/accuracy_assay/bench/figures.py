"""The figures of the benchmarks: curves of error, quantiles of true surfaces, scales by arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from accuracy_assay.reports.figure_file import write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_coverage", "draw_curves", "draw_quantiles", "draw_scales"]

_METRIC = "macro_mse"
_FEW_METHODS = 6
"""As many lines leave room for a legend inside the axes; more have it beside them."""

_DPI = 130
"""Pixels per inch: 7 inches are the 900 pixels that a page of the documentation shows."""

_WIDTH, _WIDTH_WITH_LEGEND, _HEIGHT = 7.0, 9.0, 4.5
_BARS_HEIGHT, _BAR_HEIGHT = 1.5, 0.3
"""Inches: a title and an axis, and one more bar."""

_FEW_POINTS = 10
"""Fewer points than this are marked, because a line alone would not show where they lie."""

_PANELS_PER_ROW, _PANEL_HEIGHT, _TITLE_HEIGHT = 3, 2.2, 1.2
_GOOD_SHARE = (85.0, 95.0)
"""Per cent of 90 % intervals that should hold: what is promised, and five points about it."""

_COLOURS = (*range(0, 20, 2), *range(1, 20, 2))
"""The 20 of the map ``tab20``, its ten strong ones before their pale twins."""


def draw_curves(summary: pl.DataFrame, title: str, path: Path) -> None:
    """Draw macro MSE against labels: one line per method, with a band of one deviation.

    Where there is one size only, one bar per method with its deviation.

    Parameters
    ----------
    summary
        The summary of one task.
    title
        Title of the figure.
    path
        File to write: PNG, PDF or SVG by its ending.
    """
    from matplotlib.figure import Figure

    n_methods = summary["method"].n_unique()
    has_curves = summary["labels"].n_unique() > 1
    height = _HEIGHT if has_curves else _BARS_HEIGHT + _BAR_HEIGHT * n_methods
    width = _WIDTH if n_methods <= _FEW_METHODS else _WIDTH_WITH_LEGEND
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    (_draw_lines if has_curves else _draw_bars)(axes, summary)
    axes.set_title(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_figure(figure, path, dpi=_DPI, what="figure")


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
    figure.suptitle("Arms of 20 rows or more: per cent of 90 % intervals that hold, by labels")
    write_figure(figure, path, dpi=_DPI, what="figure")


def draw_quantiles(
    quantiles: Mapping[str, Mapping[float, float]], overall: Mapping[str, float], path: Path
) -> None:
    """Draw the quantiles of each task's arms, and its overall accuracy, as the paper does.

    Parameters
    ----------
    quantiles
        Accuracy by probability, by task.
    overall
        Accuracy over all rows, by task.
    path
        File to write.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    for task, found in quantiles.items():
        (line,) = axes.plot(
            list(found), list(found.values()), marker="o", markersize=4, label=task
        )
        axes.axhline(overall[task], color=line.get_color(), linestyle=":", linewidth=0.8)
    axes.set(
        xlabel="quantile of the arms",
        ylabel="accuracy of the arm",
        title="True surfaces; dotted: accuracy over all rows",
        ylim=(-0.02, 1.02),
    )
    axes.legend(fontsize="small")
    write_figure(figure, path, dpi=_DPI, what="figure")


def draw_scales(
    scales: Mapping[str, Sequence[float]], labels: Sequence[float], path: Path
) -> None:
    """Draw the scale of each arm by method, above the number of labels of each arm."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    arms = list(range(1, len(labels) + 1))
    axes.bar(arms, labels, color="0.9", label="labels")
    for method, by_arm in scales.items():
        axes.plot(arms, by_arm, marker="o", markersize=4, label=method)
    axes.set(xlabel="arm", ylabel="scale, labels", title="Simple setting: scale by arm")
    axes.set_xticks(arms)
    axes.legend(fontsize="small")
    write_figure(figure, path, dpi=_DPI, what="figure")


def _draw_lines(axes: Axes, summary: pl.DataFrame) -> None:
    from matplotlib import colormaps

    colours = colormaps["tab20"].colors  # type: ignore[attr-defined]
    groups = summary.group_by("method", maintain_order=True)
    for k, ((method,), curve) in enumerate(groups):
        ordered = curve.sort("labels")
        labels, mean = ordered["labels"].to_numpy(), ordered[_METRIC].to_numpy()
        sd = ordered[f"{_METRIC}_sd"].fill_null(0.0).to_numpy()
        colour = colours[_COLOURS[k % len(_COLOURS)]]
        marker = "o" if len(labels) < _FEW_POINTS else None
        axes.plot(labels, mean, label=str(method), marker=marker, markersize=4, color=colour)
        axes.fill_between(labels, mean - sd, mean + sd, alpha=0.15, color=colour)
    axes.axhline(
        float(summary["floor_mse"][0]), color="grey", linestyle=":", label="floor (noise of gold)"
    )
    axes.set(xlabel="labels", ylabel="macro MSE x 100")
    axes.set_ylim(bottom=0.0)
    if summary["method"].n_unique() > _FEW_METHODS:
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    else:
        axes.legend(fontsize="small")


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


def _draw_bars(axes: Axes, summary: pl.DataFrame) -> None:
    ordered = summary.sort(_METRIC, descending=True, maintain_order=True)
    sd = ordered[f"{_METRIC}_sd"].fill_null(0.0).to_numpy()
    axes.barh(ordered["method"].to_list(), ordered[_METRIC].to_numpy(), xerr=sd, color="tab:blue")
    axes.axvline(float(summary["floor_mse"][0]), color="grey", linestyle=":")
    axes.set_xlabel(f"macro MSE x 100 at {summary['labels'][0]:,} labels; dotted: noise of gold")
