"""Questions of MMLU answered by Mixtral, by subject and by what their text is like.

Table ``mmlu_pair``: 57 subjects, from the data of RouteLLM (Ong et al., 2024). It holds whether
each answer was right and not the answers, so that there is no free signal.
"""

from pathlib import Path

import polars as pl

from accuracy_assay.tasks.task import Task
from assay_bench.tasks.data_folder import order_values, read_pool

__all__ = ["mmlu_pair"]

_LENGTHS = ("short", "mid", "long")
_LAST_SHORT, _LAST_MID = 37, 73
"""Words: a third of the questions have up to 37, and a third 38 to 73."""


def mmlu_pair(data: Path | None) -> Task:
    """Return the task over four attributes: 684 arms."""
    words = pl.col("n_words")
    length = (
        pl.when(words <= _LAST_SHORT)
        .then(pl.lit("short"))
        .when(words <= _LAST_MID)
        .then(pl.lit("mid"))
        .otherwise(pl.lit("long"))
    )
    rows = read_pool(data, "mmlu_pair").with_columns(length.alias("length_band"))
    return Task(
        name="mmlu_pair",
        description="Questions of MMLU answered by Mixtral-8x7B.",
        rows=order_values(rows, {"length_band": _LENGTHS}),
        attributes=("subject", "has_negation", "has_number", "length_band"),
        score="mixtral_correct",
    )
