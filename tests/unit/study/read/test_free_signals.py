"""All free signals are checked in one place and become columns in one step."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.domain.answer_form import ANSWER_FORM
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.read.free_signals import FreeSignals

ROWS = pl.DataFrame(
    {
        "sex": ["f", "m"] * 30,
        "said": ["unknown", "yes"] * 30,
        "other": ["unknown", "no"] * 30,
        "sure": [0.5, 0.75] * 30,
        "judge": ["good", "bad"] * 30,
        "right": [1.0, 0.0, 1.0] * 20,
    }
)
GIVEN: dict[str, Any] = {
    "signals": ["sure"],
    "referees": ["other"],
    "judges": ["judge"],
    "answer_form": True,
    "score": "right",
    "y_pred": "said",
}


def check(**changes: Any) -> FreeSignals:
    return FreeSignals.check(["sex"], **{**GIVEN, **changes})


def test_every_kind_becomes_a_column() -> None:
    free = check()
    assert free.names == ["sure", "judge", REFEREES, ANSWER_FORM]
    free.require(ROWS)
    whole, part = free.add([ROWS, ROWS[:5]])
    assert set(free.names) <= set(whole.columns)
    assert part.select(free.names).equals(whole[:5].select(free.names))


def test_nothing_asked_for_changes_nothing() -> None:
    free = check(signals=None, referees=None, judges=None, answer_form=False)
    assert free.names == free.columns == []
    assert free.add([ROWS])[0].columns == ROWS.columns


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"judges": ["sex"]}, "'sex', which is an attribute"),
        ({"judges": ["sure"]}, "'sure', which is a signal already"),
        ({"judges": ["other"]}, "'other', which is a referee"),
        ({"judges": ["right"]}, "'right', which is the score"),
        ({"judges": ["said"]}, "'said', which is the prediction itself"),
        ({"y_true": "judge"}, "'judge', which is the truth"),
        ({"y_pred": None, "referees": None}, "answer_form must have a prediction"),
    ],
)
def test_what_cannot_be_a_signal_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(**changes)


def test_a_missing_column_is_named_by_what_it_is() -> None:
    with pytest.raises(UnknownNameError, match="column of a judge in pool"):
        check().require(ROWS.drop("judge"), "pool")
    with pytest.raises(UnknownNameError, match="column of pool"):
        check().require(ROWS.drop("other"), "pool")


def test_the_form_leaks_where_the_prediction_would() -> None:
    free = FreeSignals.check(
        ["said"], signals=None, referees=None, judges=None, answer_form=True, y_pred="other"
    )
    scores = (ROWS["said"] == ROWS["other"]).cast(pl.Float64)
    with pytest.raises(InputError, match="signal 'other' must not reveal the score"):
        free.refuse_leak(ROWS, scores, ["said"])
