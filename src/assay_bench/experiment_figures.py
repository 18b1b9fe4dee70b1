"""Which figures an experiment has: one per metric, with a panel per task; peers apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from assay_bench.curves import Panel, draw_curves
from assay_bench.line_styles import is_ours, is_peer

__all__ = ["draw_experiment"]

_DRAWN: Mapping[str, tuple[str, ...]] = {
    "estimation": ("worst_mse", "macro_mse"),
    "larger-space": ("worst_mse", "macro_mse"),
}
"""Errors that are drawn, by experiment: the paper's figure 3 has the worst arms; others macro."""

_TITLES = {"macro_mse": "macro MSE", "worst_mse": "MSE of the 50 least accurate arms"}
_MOST_LINES = 10
"""More methods than that are hard to tell apart: peers then have a figure of their own."""


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
