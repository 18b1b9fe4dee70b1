"""A task checks that the columns it names exist."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.tasks.task import Task

ROWS = pl.DataFrame(
    {
        "id": ["x", "y", "z"],
        "sex": ["F", "M", "M"],
        "p_sex__F": [0.9, 0.2, 0.3],
        "p_sex__M": [0.1, 0.8, 0.7],
        "correct": [1.0, 0.0, 0.5],
    }
)


def toy(**settings: Any) -> Task:
    return Task(
        **{"name": "toy", "description": "", "rows": ROWS, "attributes": ("sex",)} | settings
    )


def test_gold_is_the_mean_score_and_size_of_each_arm() -> None:
    assert toy().gold().rows() == [("F", 1, 1.0), ("M", 2, 0.25)]


@pytest.mark.parametrize(
    "settings",
    [
        {"attributes": ("age",)},
        {"signals": ("confidence",)},
        {"y_true": "label"},
        {"services": {"google": "google_pred"}},
        {"kinds": {"age": "ordinal"}},
        {"from_label": ("digit",)},
    ],
)
def test_unknown_column_or_attribute_is_named(settings: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError, match=r"must be one of .*; got"):
        toy(**settings)


def test_evidence_must_match_a_column() -> None:
    assert toy(evidence={"sex": "p_sex__*"}).n_rows == 3
    with pytest.raises(InputError, match="must match a column; got 'q_sex__"):
        toy(evidence={"sex": "q_sex__*"})


def test_images_must_be_as_many_as_rows() -> None:
    with pytest.raises(InputError, match="got 2 for 3 rows"):
        toy(images=np.zeros((2, 4, 4), np.uint8))


def test_columns_keep_the_kind_and_the_part_of_each() -> None:
    task = toy(kinds={"sex": "ordinal"}, evidence={"sex": "p_sex__*"})
    (attribute,) = task.space.attributes
    assert (attribute.name, attribute.kind, attribute.values) == ("sex", "ordinal", ("F", "M"))
    columns = task.columns
    assert (columns.attributes, columns.score) == ((attribute,), "correct")
    assert columns.evidence == {"sex": "p_sex__*"}
