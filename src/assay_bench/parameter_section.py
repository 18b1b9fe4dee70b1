"""Mean and scale beside alpha and beta: the paper's table of the parameters, and ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay_bench import paper
from assay_bench.conduct import Outcome
from assay_bench.error_tables import mean_and_sd
from assay_bench.results_page import Table
from assay_bench.summary import is_within_deviation

__all__ = ["parameter_tables", "parameter_words"]

_MEAN_SCALE, _ALPHA_BETA = "beta-gp", "beta-gp-ab"
_Cells = dict[tuple[str, int], Mapping[str, Mapping[str, Any]]]
"""Rows of the summary by task and labels, then by method."""


def parameter_tables(outcome: Outcome) -> Iterator[Table]:
    """Return macro MSE by task, labels and parameters beside the paper's."""
    methods = outcome.summary["method"].unique(maintain_order=True).to_list()
    rows = []
    for (task, labels), found in _cells(outcome).items():
        errors = (mean_and_sd(found[m], "macro_mse") if m in found else "" for m in methods)
        rows.append((task, f"{labels:,}", *errors))
    yield Table("Macro MSE x 100 by parameters", ("task", "labels", *methods), rows)
    printed = [
        (task, f"{labels:,}", mean_scale, alpha_beta)
        for task, by_labels in paper.PARAMETERISATION.items()
        for labels, (mean_scale, alpha_beta) in by_labels.items()
    ]
    title = "The paper's table of the parameters: macro MSE x 100"
    yield Table(title, ("task", "labels", _MEAN_SCALE, _ALPHA_BETA), printed)


def parameter_words(outcome: Outcome) -> str:
    """Say in how many cells mean and scale are better, and where they are not."""
    cells = {
        place: (found[_MEAN_SCALE], found[_ALPHA_BETA])
        for place, found in _cells(outcome).items()
        if _MEAN_SCALE in found and _ALPHA_BETA in found
    }
    if not cells:
        return ""
    lost = {place: pair for place, pair in cells.items() if _error(pair[0]) >= _error(pair[1])}
    words = (
        f"Mean and scale have the smaller macro MSE in {len(cells) - len(lost)} of {len(cells)} "
        "cells, in the paper in all six."
    )
    close = [p for p, pair in lost.items() if is_within_deviation(*pair, "macro_mse")]
    clear = [place for place in lost if place not in close]
    if close:
        words += (
            f" Alpha and beta are ahead by less than a deviation over seeds for {_named(close)}."
        )
    if clear:
        words += f" They are ahead by more for {_named(clear)}; the reason is not known."
    return words


def _cells(outcome: Outcome) -> _Cells:
    groups = outcome.summary.group_by("task", "labels", maintain_order=True)
    return {
        (str(task), int(labels)): {row["method"]: row for row in part.iter_rows(named=True)}
        for (task, labels), part in groups
    }


def _error(row: Mapping[str, Any]) -> float:
    return float(row["macro_mse"])


def _named(places: list[tuple[str, int]]) -> str:
    return ", ".join(f"{task} at {labels:,}" for task, labels in places)
