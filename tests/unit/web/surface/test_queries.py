"""What a view is asked with is checked before anything is looked up."""

import pytest
from pydantic import ValidationError

from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    CompareQuery,
    HeatQuery,
    ListQuery,
    ProgressQuery,
    SlicesQuery,
    WorstQuery,
)


def test_nothing_need_be_said() -> None:
    assert HeatQuery().model_dump() == {
        "service": None,
        "where": [],
        "format": "json",
        "mix": "pool",
        "weight": [],
        "rows": None,
        "columns": None,
    }
    assert (CompareQuery().sort, CompareQuery().order) == ("probability", "descending")


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (HeatQuery, {"mix": "own "}),
        (HeatQuery, {"format": "xml"}),
        (HeatQuery, {"where": ["x" * 401]}),
        (HeatQuery, {"where": ["a:b"] * 201}),
        (ListQuery, {"limit": 0}),
        (ListQuery, {"limit": 1_001}),
        (ListQuery, {"offset": -1}),
        (ArmsQuery, {"order": "up"}),
        (SlicesQuery, {"below": 0.0}),
        (SlicesQuery, {"below": 80}),
        (WorstQuery, {"by": "lower"}),
        (WorstQuery, {"count": 0}),
        (ProgressQuery, {"half_width": 0.5}),
        (ProgressQuery, {"half_width": float("nan")}),
        (ProgressQuery, {"of": "ranking"}),
        (CompareQuery, {"sort": "mean"}),
    ],
)
def test_what_cannot_be_meant_is_refused(kind: type, wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        kind(**wrong)
