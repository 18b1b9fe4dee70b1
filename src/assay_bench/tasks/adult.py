"""A large language model's answers to the Adult census question, by demographic attributes.

Table ``adult_llama``: Llama-3-70B's answers from the data of the SureMap paper (Khodak et al.,
NeurIPS 2024), joined with UCI Adult. The free signal is the answer itself.
"""

from pathlib import Path

import polars as pl

from accuracy_assay.tasks.task import Task
from assay_bench.tasks.data_folder import order_values, read_pool

__all__ = ["adult5", "adult6"]

_FIVE = ("age_band", "sex", "race3", "education_band", "marital")
_ORDERS = {
    "age_band": ("17_24", "25_34", "35_44", "45_54", "55_64", "65p"),
    "education_band": ("lt_hs", "hs", "some_college", "bachelors", "advanced"),
}


def adult5(data: Path | None) -> Task:
    """Return the task over five attributes: 540 arms."""
    return _adult("adult5", data, _FIVE)


def adult6(data: Path | None) -> Task:
    """Return the task over six attributes: 2,700 arms."""
    return _adult("adult6", data, (*_FIVE, "occupation_group"))


def _adult(name: str, data: Path | None, attributes: tuple[str, ...]) -> Task:
    rows = read_pool(data, "adult_llama").filter(~pl.col("in_prompt"))
    return Task(
        name=name,
        description="Answers of a large language model to: does this person earn over 50K?",
        rows=order_values(rows, _ORDERS),
        attributes=attributes,
        y_true="label",
        y_pred="llm_pred",
        signals=("llm_pred",),
        services={"llm": "llm_pred"},
    )
