"""What the experiment on exploration says about the paper's figure 4, in words."""

from __future__ import annotations

import polars as pl

from accuracy_assay.bench.conduct import Outcome
from accuracy_assay.bench.line_styles import is_ours

__all__ = ["exploration_words"]

_BY_VARIANCE = "/largest-variance"
_CLAIMS = (
    ("beta-gp-slp", "beta-independent", "most of the time"),
    ("beta-gp-slp", "beta-gp", "most of the time"),
    ("beta-independent", "beta-gp", "in many cases"),
)
"""(better, worse, how often) when each explores by its own variance: what the paper's section 4.6
says of its figure 4, which prints no figures."""


def exploration_words(outcome: Outcome) -> str:
    """Say how methods rank after the last label, and on which tasks the paper's claims hold."""
    ends = {}
    lines = []
    for (task,), part in outcome.summary.group_by("task", maintain_order=True):
        last = int(part["labels"].to_numpy().max())
        ranked = part.filter(pl.col("labels") == last).sort("macro_mse", maintain_order=True)
        errors = dict(zip(ranked["method"], ranked["macro_mse"], strict=True))
        ends[str(task)] = errors
        theirs = [method for method in errors if not is_ours(method)]
        ours = [method for method in errors if is_ours(method)]
        said = [f"{method} {errors[method]:.2f}" for method in (*theirs[:3], *ours[:2])]
        lines.append(f"- **{task}**, {last:,} labels: {', '.join(said)}")
    head = (
        "Macro MSE at the end, the best three of the paper's methods and the best two of ours:\n"
    )
    return "\n\n".join(("\n".join((head, "", *lines)), *_claims(ends)))


def _claims(ends: dict[str, dict[str, float]]) -> list[str]:
    said = []
    for better, worse, often in _CLAIMS:
        first, second = better + _BY_VARIANCE, worse + _BY_VARIANCE
        tasks = [task for task, errors in ends.items() if first in errors and second in errors]
        if tasks:
            held = [task for task in tasks if ends[task][first] < ends[task][second]]
            where = f"on {', '.join(held)}" if held else "on none of these tasks"
            said.append(
                f"- {better} before {worse}, which the paper finds {often}: {where}"
                f"{'' if len(held) == len(tasks) else f' ({len(held)} of {len(tasks)})'}."
            )
    return ["\n".join(("Exploring by its own variance:\n", *said))] if said else []
