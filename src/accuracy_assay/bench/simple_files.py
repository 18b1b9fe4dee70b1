"""The simple setting on disk: a table of both parts, and a figure of the scales."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.bench.simple_setting import LABELS, SimpleFit

__all__ = ["write_simple"]


def write_simple(fits: Sequence[SimpleFit], out: Path) -> tuple[Path, Path]:
    """Write ``simple-setting.csv`` and a figure of the scale by arm; return both paths."""
    out.mkdir(parents=True, exist_ok=True)
    table, figure = out / "simple-setting.csv", out / "simple-setting.png"
    pl.DataFrame([_row(fit) for fit in fits]).write_csv(table)
    _draw(fits, figure)
    return table, figure


def _row(fit: SimpleFit) -> dict[str, object]:
    parts = {"": fit.as_read, "exact_": fit.exact}
    errors = {
        f"{prefix}{name}": getattr(part, name)
        for prefix, part in parts.items()
        for name in ("bias2", "variance", "mse")
    }
    scales = {f"scale_{arm}": scale for arm, scale in enumerate(fit.scales, start=1)}
    return {"method": fit.method, **errors, "length": fit.length, **scales}


def _draw(fits: Sequence[SimpleFit], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.add_subplot()
    arms = list(range(1, LABELS.size + 1))
    axes.bar(arms, LABELS, color="0.9", label="labels")
    for fit in fits:
        axes.plot(arms, fit.scales, marker="o", markersize=4, label=fit.method)
    axes.set(xlabel="arm", ylabel="scale, labels", title="Simple setting: scale by arm")
    axes.set_xticks(arms)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=130)
