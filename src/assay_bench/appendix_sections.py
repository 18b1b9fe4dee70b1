"""The true surfaces and the simple setting as words and tables: the paper's appendices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from assay_bench import paper
from assay_bench.results_page import Section, Table
from assay_bench.simple_setting import LABELS, SimpleFit
from assay_bench.surface_stats import SurfaceStats

__all__ = ["simple_section", "stats_section"]


def stats_section(stats: Sequence[SurfaceStats], figures: Sequence[Path]) -> Section:
    """Return the section on the true surfaces."""
    probabilities = list(stats[0].quantiles)
    rows = [
        (
            s.task,
            f"{s.n_rows:,}",
            f"{s.n_arms:,}",
            f"{s.n_active:,}",
            f"{s.accuracy:.3f}",
            f"{s.macro_accuracy:.3f}",
            f"{s.floor_mse:.2f}",
            *(f"{s.quantiles[p]:.3f}" for p in probabilities),
        )
        for s in stats
    ]
    columns = ("task", "rows", "arms", "active", "accuracy", "mean of arms", "floor")
    tables = [
        Table("True surfaces", (*columns, *(f"q{p:g}" for p in probabilities)), rows),
        Table(
            "The paper's data",
            ("data", "arms", "active"),
            [(name, f"{a:,}", f"{b:,}") for name, (a, b) in paper.ACTIVE_ARMS.items()],
        ),
    ]
    tables += [_worst_arms(s) for s in stats]
    text = (
        "Active arms have at least five rows; quantiles are of their accuracies. The least "
        "accurate arms of each task are red in the figure and listed under it."
    )
    return Section("Statistics of the surfaces (appendix)", text, tables, figures)


def simple_section(fits: Sequence[SimpleFit], figures: Sequence[Path] = ()) -> Section:
    """Return the section on the ten arms of the appendix."""
    errors: list[tuple[str, ...]] = []
    scales: list[tuple[str, ...]] = []
    for fit in fits:
        ours = fit.as_read
        errors.append(
            (fit.method, *_three(ours.bias2, ours.variance, ours.mse), f"{fit.length:.2f}")
        )
        scales.append((fit.method, *(f"{v:.2f}" for v in fit.scales)))
        if fit.method in paper.SIMPLE_SETTING:
            printed = paper.SIMPLE_SETTING[fit.method]
            name = f"{fit.method}, the paper's"
            numbers = _three(printed.bias2, printed.variance, printed.mse)
            errors.append((name, *numbers, f"{printed.length:.2f}"))
            scales.append((name, *(f"{v:.2f}" for v in printed.scales)))
        exact = fit.exact
        name = f"{fit.method}, exact expectation"
        errors.append((name, *_three(exact.bias2, exact.variance, exact.mse), ""))
    arms = tuple(f"{arm} (n = {n:.0f})" for arm, n in enumerate(LABELS, start=1))
    tables = (
        Table(
            "Bias² and variance, sums over the arms",
            ("method", "bias²", "variance", "MSE", "length of f"),
            errors,
        ),
        Table("Scale by arm", ("method", *arms), scales),
    )
    return Section("The simple setting (appendix)", "", tables, figures)


def _worst_arms(stats: SurfaceStats) -> Table:
    frame = stats.worst.with_columns(pl.col("accuracy").round(3))
    rows = [tuple(str(value) for value in row) for row in frame.iter_rows()]
    title = f"{stats.task}: the {len(rows)} least accurate arms"
    return Table(title, frame.columns, rows, is_folded=True)


def _three(*values: float) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in values)
