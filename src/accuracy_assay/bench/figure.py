"""One figure a task: macro MSE against labels, a line a method, a band of one deviation."""

from __future__ import annotations

from pathlib import Path

import polars as pl

__all__ = ["draw_curves"]


def draw_curves(summary: pl.DataFrame, title: str, path: Path) -> None:
    """Draw the curves of one task's summary into ``path`` (PNG, PDF or SVG by its ending)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for (method,), curve in summary.group_by("method", maintain_order=True):
        ordered = curve.sort("labels")
        labels, mean = ordered["labels"].to_numpy(), ordered["macro_mse"].to_numpy()
        sd = ordered["macro_mse_sd"].fill_null(0.0).to_numpy()
        marker = "o" if len(labels) < 10 else None
        (line,) = axes.plot(labels, mean, label=str(method), marker=marker, markersize=4)
        axes.fill_between(labels, mean - sd, mean + sd, alpha=0.15, color=line.get_color())
    axes.axhline(
        float(summary["floor_mse"][0]), color="grey", linestyle=":", label="floor (noise of gold)"
    )
    axes.set(xlabel="labels", ylabel="macro MSE x 100", title=title)
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
