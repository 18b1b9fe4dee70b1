"""What a view is asked with is checked before anything is looked up."""

import pytest
from pydantic import ValidationError

from accuracy_assay.web.surface.parameters import (
    AskedArms,
    AskedCompare,
    AskedHeat,
    AskedPage,
    AskedProgress,
    AskedSlices,
    AskedWorst,
)


def test_nothing_need_be_said() -> None:
    assert AskedHeat().model_dump() == {
        "service": None,
        "where": [],
        "format": "json",
        "mix": "pool",
        "weight": [],
        "rows": None,
        "columns": None,
    }
    assert (AskedCompare().sort, AskedCompare().order) == ("probability", "descending")


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (AskedHeat, {"mix": "own "}),
        (AskedHeat, {"format": "xml"}),
        (AskedHeat, {"where": ["x" * 401]}),
        (AskedHeat, {"where": ["a:b"] * 201}),
        (AskedPage, {"limit": 0}),
        (AskedPage, {"limit": 1_001}),
        (AskedPage, {"offset": -1}),
        (AskedArms, {"order": "up"}),
        (AskedSlices, {"below": 0.0}),
        (AskedSlices, {"below": 80}),
        (AskedWorst, {"by": "lower"}),
        (AskedWorst, {"count": 0}),
        (AskedProgress, {"half_width": 0.5}),
        (AskedProgress, {"half_width": float("nan")}),
        (AskedProgress, {"of": "ranking"}),
        (AskedCompare, {"sort": "mean"}),
    ],
)
def test_what_cannot_be_meant_is_refused(kind: type, wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        kind(**wrong)
