"""One figure a task: macro MSE against labels, a line a method, a band of one deviation.

Where there is one size only, a bar a method with its deviation.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_curves"]

_METRIC = "macro_mse"
_FEW_METHODS = 6


def draw_curves(summary: pl.DataFrame, title: str, path: Path) -> None:
    """Draw one task's summary into ``path`` (PNG, PDF or SVG by its ending)."""
    from matplotlib.figure import Figure

    n_methods = summary["method"].n_unique()
    has_curves = summary["labels"].n_unique() > 1
    height = 4.5 if has_curves else 1.5 + 0.3 * n_methods
    figure = Figure(figsize=(9.0 if n_methods > _FEW_METHODS else 7.0, height))
    figure.set_layout_engine("constrained")
    axes = figure.add_subplot()
    (_draw_lines if has_curves else _draw_bars)(axes, summary)
    axes.set_title(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def _draw_lines(axes: Axes, summary: pl.DataFrame) -> None:
    from matplotlib import colormaps

    colours = colormaps["tab20"].colors  # type: ignore[attr-defined]
    order = (*range(0, 20, 2), *range(1, 20, 2))
    groups = summary.group_by("method", maintain_order=True)
    for k, ((method,), curve) in enumerate(groups):
        ordered = curve.sort("labels")
        labels, mean = ordered["labels"].to_numpy(), ordered[_METRIC].to_numpy()
        sd = ordered[f"{_METRIC}_sd"].fill_null(0.0).to_numpy()
        colour = colours[order[k % 20]]
        marker = "o" if len(labels) < 10 else None
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


def _draw_bars(axes: Axes, summary: pl.DataFrame) -> None:
    ordered = summary.sort(_METRIC, descending=True, maintain_order=True)
    sd = ordered[f"{_METRIC}_sd"].fill_null(0.0).to_numpy()
    axes.barh(ordered["method"].to_list(), ordered[_METRIC].to_numpy(), xerr=sd, color="tab:blue")
    axes.axvline(float(summary["floor_mse"][0]), color="grey", linestyle=":")
    axes.set_xlabel(f"macro MSE x 100 at {summary['labels'][0]:,} labels; dotted: noise of gold")
