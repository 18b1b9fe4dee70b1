"""What the experiment on exploration says about the paper's figure 4, in words."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assay_bench.conduct import Outcome
from assay_bench.line_styles import is_ours

__all__ = ["exploration_words"]

_BY_VARIANCE = "/largest-variance"
_CLAIMS = (
    ("beta-gp-slp", "beta-independent", "most of the time"),
    ("beta-gp-slp", "beta-gp", "most of the time"),
    ("beta-independent", "beta-gp", "in many cases"),
)
"""(better, worse, how often) when each explores by its own variance: what the paper's section 4.6
says of its figure 4, which prints no figures."""

_Errors = Mapping[str, Mapping[str, float]]
"""Macro MSE by task and method."""


def exploration_words(outcome: Outcome) -> str:
    """Say how methods rank after the last label, and on which tasks the paper's claims hold."""
    first, last = (_errors_at(outcome.summary, is_last=is_last) for is_last in (False, True))
    labels = int(outcome.summary["labels"].to_numpy().max())
    head = (
        f"Macro MSE at {labels:,} labels, the best three of the paper's methods and the best two "
        "of ours:"
    )
    lines = [f"- **{task}**: {_best(errors)}" for task, errors in last.items()]
    said = [words for claim in _CLAIMS if (words := _claim(*claim, first, last))]
    claims = ("\n".join(("Exploring by its own variance:", "", *said)),) if said else ()
    return "\n\n".join(("\n".join((head, "", *lines)), *claims))


def _errors_at(summary: pl.DataFrame, *, is_last: bool) -> _Errors:
    """Return macro MSE at each task's smallest or largest size."""
    found: dict[str, dict[str, float]] = {}
    for (task,), part in summary.group_by("task", maintain_order=True):
        sizes = part["labels"].to_numpy()
        at_size = part.filter(pl.col("labels") == int(sizes.max() if is_last else sizes.min()))
        found[str(task)] = dict(zip(at_size["method"], at_size["macro_mse"], strict=True))
    return found


def _best(errors: Mapping[str, float]) -> str:
    ranked = sorted(errors, key=lambda method: errors[method])
    theirs = [method for method in ranked if not is_ours(method)]
    ours = [method for method in ranked if is_ours(method)]
    return ", ".join(f"{method} {errors[method]:.2f}" for method in (*theirs[:3], *ours[:2]))


def _claim(better: str, worse: str, often: str, first: _Errors, last: _Errors) -> str:
    """Say where a claim of the paper holds, and where the methods began the other way round."""
    a, b = better + _BY_VARIANCE, worse + _BY_VARIANCE
    tasks = [task for task, errors in last.items() if a in errors and b in errors]
    if not tasks:
        return ""
    held = [task for task in tasks if last[task][a] < last[task][b]]
    where = f"on {', '.join(held)}" if held else "on none of these tasks"
    words = f"- {better} before {worse}, which the paper finds {often}: {where}"
    begun = [task for task in tasks if task not in held and first[task][a] >= first[task][b]]
    if begun:
        words += f"; on {', '.join(begun)} the other is ahead before a label is chosen"
    return f"{words}."
