"""Curves of error against labels: a panel per task, a line per method, one legend.

An experiment has one figure per metric; where methods are many, peers have one of their own.

A band is one standard error of the mean over seeds: their deviation over the root of their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.line_styles import is_ours, is_peer, line_style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Panel", "draw_curves", "draw_experiment", "standard_error"]

_DPI = 130
"""Pixels per inch: 9 inches are the 1,170 pixels that a page shows sharply at its full width."""

_WIDTH, _PANELS_PER_ROW = 9.0, 3
_PANEL_HEIGHT, _LONE_PANEL_HEIGHT, _TITLE_HEIGHT = 2.7, 3.6, 0.5
_LEGEND_LINE, _BAR_HEIGHT = 0.22, 0.2
"""Inches: a line of the legend, and one more bar."""

_LEGEND_COLUMNS = 3
_FEW_POINTS = 10
"""Fewer points than this are marked, because a line alone would not show where they lie."""

_WIDE_RANGE = 5.0
"""Where the largest error of a panel is as many times the smallest, axes are logarithmic."""

_FLOOR = "floor (noise of the gold)"


_DRAWN: Mapping[str, tuple[str, ...]] = {
    "estimation": ("worst_mse", "macro_mse"),
    "larger-space": ("worst_mse", "macro_mse"),
}
"""Errors that are drawn, by experiment: the paper's figure 3 has the worst arms; others macro."""

_TITLES = {"macro_mse": "macro MSE", "worst_mse": "MSE of the 50 least accurate arms"}
_MOST_LINES = 10
"""More methods than that are hard to tell apart: peers then have a figure of their own."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes: the summary of one task, and which of its metrics is drawn."""

    title: str
    summary: pl.DataFrame
    metric: str


def draw_experiment(
    name: str, summary: pl.DataFrame, guessed: frozenset[str], out: Path
) -> list[Path]:
    """Draw the figures of an experiment into ``out`` and return their paths."""
    metrics = _DRAWN.get(name, ("macro_mse",))
    tasks = summary["task"].unique(maintain_order=True).to_list()
    paths = []
    for suffix, methods in _groups(summary["method"].unique(maintain_order=True).to_list()):
        part = summary.filter(pl.col("method").is_in(methods))
        parts = {task: part.filter(pl.col("task") == task) for task in tasks}
        if len(tasks) == 1:
            panels = [Panel(_TITLES[metric], parts[tasks[0]], metric) for metric in metrics]
            paths.append(out / f"{name}{suffix}.png")
            draw_curves(panels, f"{name}: {_titled(tasks[0], guessed)} by labels", paths[-1])
            continue
        for metric in metrics:
            ending = "" if len(metrics) == 1 else f"-{metric.removesuffix('_mse')}"
            panels = [Panel(_titled(task, guessed), parts[task], metric) for task in tasks]
            paths.append(out / f"{name}{suffix}{ending}.png")
            draw_curves(panels, f"{name}{suffix}: {_TITLES[metric]} by labels", paths[-1])
    return paths


def draw_curves(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Draw each panel's error against labels, one line per method with a band of one error.

    Where there is one size only, one bar per method with its standard error.

    Parameters
    ----------
    panels
        What to draw, three to a row; the legend takes an empty place or stands below.
    title
        Title of the figure.
    path
        File to write: PNG, PDF or SVG by its ending.
    """
    from matplotlib.figure import Figure

    methods = list(dict.fromkeys(m for panel in panels for m in panel.summary["method"]))
    columns = 2 if len(panels) in (2, 4) else min(len(panels), _PANELS_PER_ROW)
    rows = -(-len(panels) // columns)
    has_curves = any(panel.summary["labels"].n_unique() > 1 for panel in panels)
    is_lone = rows == 1 and columns < _PANELS_PER_ROW
    height = _LONE_PANEL_HEIGHT if is_lone else _PANEL_HEIGHT
    if not has_curves:
        height = max(height, _BAR_HEIGHT * len(methods) + 1.0)
    has_place = has_curves and len(panels) < rows * columns
    below = 0.0 if has_place else _LEGEND_LINE * (len(methods) // _LEGEND_COLUMNS + 2)
    figure = Figure(
        figsize=(_WIDTH, rows * height + _TITLE_HEIGHT + below * has_curves), layout="constrained"
    )
    grid = figure.subplots(rows, columns, squeeze=False, sharey=not has_curves)
    is_log = has_curves and any(map(_is_wide, panels))
    for axes, panel in zip(grid.flat, panels, strict=False):
        (_draw_lines if has_curves else _draw_bars)(axes, panel, methods)
        if has_curves:
            _set_scale(axes, is_log=is_log)
        axes.set_title(panel.title, fontsize="medium")
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel(f"MSE x 100{', log scale' * is_log}" if has_curves else "")
    if has_curves:
        _draw_legend(figure, grid.flat[: len(panels)], grid.flat[-1] if has_place else None)
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_figure(figure, path, dpi=_DPI, what="figure")


def standard_error(summary: pl.DataFrame, metric: str) -> FloatArray:
    """Return the standard error of each row's mean over seeds; 0 where there is one seed.

    Examples
    --------
    >>> rows = pl.DataFrame({"seeds": [4], "macro_mse_sd": [1.0]})
    >>> standard_error(rows, "macro_mse").tolist()
    [0.5]
    """
    sd = summary[f"{metric}_sd"].cast(pl.Float64).fill_null(0.0).to_numpy()
    return np.asarray(sd / np.sqrt(summary["seeds"].to_numpy()))


def _draw_lines(axes: Axes, panel: Panel, methods: Sequence[str]) -> None:
    from matplotlib.ticker import StrMethodFormatter

    for k, method in enumerate(methods):
        curve = panel.summary.filter(pl.col("method") == method).sort("labels")
        labels, mean = curve["labels"].to_numpy(), curve[panel.metric].to_numpy()
        error = standard_error(curve, panel.metric)
        style = line_style(method, k)
        if len(labels) >= _FEW_POINTS:
            style["marker"] = None
        axes.plot(labels, mean, label=method, markersize=3.5, **style)
        axes.fill_between(
            labels, mean - error, mean + error, alpha=0.15, color=style["color"], linewidth=0.0
        )
    if panel.metric == "macro_mse":
        floor = float(panel.summary["floor_mse"][0])
        axes.axhline(floor, color="0.5", linestyle=(0, (1, 3)), linewidth=1.0, label=_FLOOR)
    sizes = panel.summary["labels"].unique().sort().to_list()
    if len(sizes) < _FEW_POINTS:
        axes.set_xticks(sizes)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_xlabel("labels")
    axes.grid(color="0.92", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _is_wide(panel: Panel) -> bool:
    errors = panel.summary[panel.metric].to_numpy()
    return bool(0.0 < errors.min() * _WIDE_RANGE < errors.max())


def _set_scale(axes: Axes, *, is_log: bool) -> None:
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    if not is_log:
        axes.set_ylim(bottom=0.0)
        return
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def _draw_bars(axes: Axes, panel: Panel, methods: Sequence[str]) -> None:
    part = panel.summary
    axes.barh(
        part["method"].to_list(),
        part[panel.metric].to_numpy(),
        xerr=standard_error(part, panel.metric),
        color=[line_style(m, methods.index(m))["color"] for m in part["method"]],
    )
    axes.axvline(float(part["floor_mse"][0]), color="grey", linestyle=":")
    axes.set_xlabel(f"MSE x 100 at {part['labels'][0]:,} labels")
    axes.set_ylim(len(methods) - 0.5, -0.5)


def _draw_legend(figure: Figure, drawn: Iterable[Axes], place: Axes | None) -> None:
    """Name every line once, at ``place`` or below."""
    named: dict[str, Artist] = {}
    for axes in drawn:
        handles, labels = axes.get_legend_handles_labels()
        named |= dict(zip(labels, handles, strict=True))
    if place is not None:
        place.legend(
            list(named.values()), list(named), fontsize="small", loc="center", frameon=False
        )
        return
    figure.legend(
        list(named.values()),
        list(named),
        fontsize="small",
        loc="outside lower center",
        ncols=_LEGEND_COLUMNS,
        frameon=False,
    )


def _groups(methods: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return file suffix and methods of each figure."""
    peers = [method for method in methods if is_peer(method)]
    if len(methods) <= _MOST_LINES or not peers:
        return [("", list(methods))]
    others = [method for method in methods if not is_peer(method)]
    ours = [method for method in methods if is_ours(method)]
    return [("", others), ("-peers", [*peers, *ours])]


def _titled(task: str, guessed: frozenset[str]) -> str:
    return f"{task} ({'guessed' if task in guessed else 'exact'})"
