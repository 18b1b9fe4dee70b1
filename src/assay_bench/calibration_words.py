"""What the experiment on calibration says about the paper's figure 5, in words."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from assay_bench.conduct import Outcome
from assay_bench.error_tables import shown_size
from assay_bench.summary import is_within_deviation

__all__ = ["calibration_words"]

_PAPER = ("full", "temperature", "raw")
"""The paper's order on all four of its tasks, from the smallest error."""


def calibration_words(outcome: Outcome) -> str:
    """Say how calibrations rank on each task, and where they cannot differ."""
    size = shown_size(outcome.summary)
    lines = []
    for (task,), part in outcome.summary.group_by("task", maintain_order=True):
        at_size = part.filter(pl.col("labels") == size).sort("macro_mse", maintain_order=True)
        rows = {_calibration(row["method"]): row for row in at_size.iter_rows(named=True)}
        listed = ", ".join(f"{name} {row['macro_mse']:.2f}" for name, row in rows.items())
        lines.append(f"- **{task}**: {listed}{_judged(rows)}.")
    head = (
        f"Macro MSE at {size:,} labels, from the smallest; the paper's order is "
        f"{', '.join(_PAPER)} on all four of its tasks:"
    )
    return "\n\n".join(filter(None, ("\n".join((head, "", *lines)), _same_start(outcome.summary))))


def _calibration(method: str) -> str:
    return method.partition("@")[2] or method


def _judged(rows: dict[str, dict[str, float]]) -> str:
    """Say whether an order is the paper's, and if not whether the gap is worth a word."""
    if set(rows) != set(_PAPER):
        return ""
    if tuple(rows) == _PAPER:
        return "; as in the paper"
    turned = [(a, b) for a, b in pairwise(_PAPER) if rows[a]["macro_mse"] > rows[b]["macro_mse"]]
    if all(is_within_deviation(rows[a], rows[b], "macro_mse") for a, b in turned):
        pairs = " and ".join(f"{a} and {b}" for a, b in turned)
        return (
            f"; {pairs} are within a deviation over seeds ([better probabilities, the same "
            "error](calibration.md#what-was-measured))"
        )
    return "; not the paper's order, for a reason that is not known"


def _same_start(summary: pl.DataFrame) -> str:
    """Say why calibrations agree at the smallest size, where they do."""
    least = int(summary["labels"].to_numpy().min())
    at_least = summary.filter(pl.col("labels") == least)
    counts = at_least.group_by("task").agg(pl.col("macro_mse").n_unique())
    if at_least["method"].n_unique() < 2 or counts["macro_mse"].to_list() != [1] * counts.height:
        return ""
    return (
        f"At {least:,} labels all calibrations have the same error: these labels are the seed "
        "set, whose attributes are gold, so that no guess is counted yet."
    )
