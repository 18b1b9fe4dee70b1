"""Statistics of surfaces on disk: a table over tasks, the worst arms of each, and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.bench.conduct import file_name
from accuracy_assay.bench.surface_stats import SurfaceStats

__all__ = ["write_stats"]

_NAME = "surface-stats"


def write_stats(stats: Sequence[SurfaceStats], out: Path) -> tuple[Path, ...]:
    """Write ``surface-stats.csv``, the worst arms of each task and a figure; return the paths."""
    out.mkdir(parents=True, exist_ok=True)
    table = pl.DataFrame(
        [
            {
                "task": s.task,
                "rows": s.n_rows,
                "arms": s.n_arms,
                "active": s.n_active,
                "accuracy": s.accuracy,
                "macro_accuracy": s.macro_accuracy,
                "floor_mse": s.floor_mse,
            }
            | {f"q{p:g}": value for p, value in s.quantiles.items()}
            for s in stats
        ]
    )
    paths = [out / f"{_NAME}.csv"]
    table.write_csv(paths[0])
    for s in stats:
        paths.append(out / f"{_NAME}-{file_name(s.task)}-worst.csv")
        s.worst.write_csv(paths[-1])
    paths.append(out / f"{_NAME}.png")
    _draw(stats, paths[-1])
    return tuple(paths)


def _draw(stats: Sequence[SurfaceStats], path: Path) -> None:
    """Draw the quantiles of each task's arms, and its overall accuracy, as the paper does."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for s in stats:
        (line,) = axes.plot(
            list(s.quantiles), list(s.quantiles.values()), marker="o", markersize=4, label=s.task
        )
        axes.axhline(s.accuracy, color=line.get_color(), linestyle=":", linewidth=0.8)
    axes.set(
        xlabel="quantile of the arms",
        ylabel="accuracy of the arm",
        title="True surfaces; dotted: accuracy over all rows",
        ylim=(-0.02, 1.02),
    )
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=130)
