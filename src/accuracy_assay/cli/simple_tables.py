"""The simple setting's two tables in a terminal, beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group
from rich.table import Table

from accuracy_assay.bench.simple_setting import LABELS, PAPER, SimpleFit
from accuracy_assay.cli.tables import titled

__all__ = ["simple_rows", "simple_tables"]

_EXACT = "exact expectation"


def simple_rows(fits: Sequence[SimpleFit]) -> list[dict[str, Any]]:
    """Return one object a method, for programs."""
    return [
        {
            "method": fit.method,
            "bias2": fit.as_read.bias2,
            "variance": fit.as_read.variance,
            "mse": fit.as_read.mse,
            "length": fit.length,
            "scales": list(fit.scales),
            "exact_bias2": fit.exact.bias2,
            "exact_variance": fit.exact.variance,
            "exact_mse": fit.exact.mse,
        }
        for fit in fits
    ]


def simple_tables(fits: Sequence[SimpleFit]) -> Iterator[Group]:
    """Yield the scales by arm and the decomposition of the error."""
    yield titled("Simple setting: scale by arm", _scales(fits))
    yield titled("Simple setting: bias² and variance, sums over the arms", _errors(fits))


def _scales(fits: Sequence[SimpleFit]) -> Table:
    table = Table()
    table.add_column("method")
    for arm, n in enumerate(LABELS, start=1):
        table.add_column(f"{arm} (n = {n:.0f})", justify="right")
    for fit in fits:
        table.add_row(fit.method, *(f"{scale:.2f}" for scale in fit.scales))
        if fit.method in PAPER:
            table.add_row("  paper", *(f"{scale:.2f}" for scale in PAPER[fit.method].scales))
    return table


def _errors(fits: Sequence[SimpleFit]) -> Table:
    table = Table()
    for column in ("method", "bias²", "variance", "MSE", "length of f"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for fit in fits:
        read, exact = fit.as_read, fit.exact
        table.add_row(
            fit.method, *_cells(read.bias2, read.variance, read.mse), f"{fit.length:.2f}"
        )
        if fit.method in PAPER:
            paper = PAPER[fit.method]
            cells = _cells(paper.bias2, paper.variance, paper.mse)
            table.add_row("  paper", *cells, f"{paper.length:.2f}")
        table.add_row(f"  {_EXACT}", *_cells(exact.bias2, exact.variance, exact.mse), "")
    return table


def _cells(*values: float) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in values)
