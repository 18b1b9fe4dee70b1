"""Questions that tempt a language model to a stereotype, by whom they are about and how they ask.

Table ``bbq``: six categories of the Bias Benchmark for QA (Parrish et al., 2022) with the answers
of UnifiedQA-11B. The free signal is whether the same model answers alike in another prompt form.
Whether it declines to answer would be free too, but tells the score outright where the context
leaves the question open: there the right answer is always to decline.
"""

from pathlib import Path

import polars as pl

from accuracy_assay.tasks.task import Task
from assay_bench.tasks.data_folder import read_pool

__all__ = ["bbq"]

_SERVICE, _REFEREE = "race", "arc"
"""The prompt form that is assayed, and the one whose answers it is compared with."""

_AGREES = "agrees"


def bbq(data: Path | None) -> Task:
    """Return the task over four attributes: 744 possible arms, 124 with a row."""
    is_alike = pl.col(f"{_SERVICE}_pred") == pl.col(f"{_REFEREE}_pred")
    return Task(
        name="bbq",
        description="Questions of the Bias Benchmark answered by UnifiedQA-11B, prompted as RACE.",
        rows=read_pool(data, "bbq").with_columns(is_alike.alias(_AGREES)),
        attributes=("category", "question_polarity", "context_condition", "group"),
        score=f"{_SERVICE}_correct",
        y_true="truth",
        y_pred=f"{_SERVICE}_pred",
        signals=(_AGREES,),
        services={name: f"{name}_pred" for name in (_SERVICE, _REFEREE, "qonly")},
    )
