"""Measures are the counts of a confusion table; conditions are SQL and nothing else."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.measure import Condition, ConfusionRate
from accuracy_assay.errors import InputError
from accuracy_assay.registry import MEASURES, build_measure

RNG = np.random.default_rng(8)
FRAME = pl.DataFrame(
    {
        "truth": RNG.choice(["yes", "no", "maybe"], 300),
        "said": RNG.choice(["yes", "no", "maybe"], 300),
        "age": RNG.integers(18, 90, 300),
    }
)
T, S = (FRAME[c].to_numpy() == "yes" for c in ("truth", "said"))
BY_HAND = {
    "recall": (T & S).sum() / T.sum(),
    "true-positive-rate": (T & S).sum() / T.sum(),
    "false-negative-rate": (T & ~S).sum() / T.sum(),
    "false-positive-rate": (~T & S).sum() / (~T).sum(),
    "true-negative-rate": (~T & ~S).sum() / (~T).sum(),
    "precision": (T & S).sum() / S.sum(),
    "false-discovery-rate": (~T & S).sum() / S.sum(),
}
BY_PREDICTION = ("precision", "false-discovery-rate")


COLUMNS = Columns(("age",), y_true="truth", y_pred="said")


def test_every_measure_is_worked_out_here_or_is_one_of_pairs() -> None:
    assert MEASURES.keys() == BY_HAND.keys() | {"win-rate", "first-win-rate"}


@pytest.mark.parametrize("name", BY_HAND)
def test_named_rates_are_those_of_the_confusion_table(name: str) -> None:
    rate = build_measure(f"{name}:yes")
    rows = FRAME.filter(rate.qualifies(FRAME, COLUMNS))
    assert rate.scores(rows, COLUMNS).mean() == pytest.approx(BY_HAND[name])
    assert rate.is_error is name.startswith("false-")
    assert rate.deciding(COLUMNS) == (("said",) if name in BY_PREDICTION else ("truth",))


def test_numbers_are_read_as_they_are_meant() -> None:
    numbers = pl.DataFrame({"truth": [1.0, 0.0, 1.0], "said": [1, 1, 0]})
    rate = build_measure("recall:1")
    assert rate.qualifies(numbers, COLUMNS).to_list() == [True, False, True]
    found = rate.scores(numbers.filter(rate.qualifies(numbers, COLUMNS)), COLUMNS)
    assert found.to_list() == [1.0, 0.0]


def test_a_rate_must_know_truth_and_prediction() -> None:
    with pytest.raises(InputError, match="must have columns of truth and prediction"):
        ConfusionRate("truth", True, True, "yes").deciding(Columns(("age",), y_pred="said"))


def test_rows_where_a_value_is_missing_do_not_qualify() -> None:
    frame = pl.DataFrame({"truth": ["yes", None, "no"]})
    assert Condition("truth <> 'no'").holds(frame).to_list() == [True, False, False]
    rate = ConfusionRate("truth", True, True, "yes")
    assert rate.qualifies(frame, COLUMNS).to_list() == [True, False, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("truth == yes", "got 'yes'"),
        ("truth ==", "must be a condition such as"),
        ("age + 1", "not true or false"),
        ("age == 'x'", "must be a condition such as"),
        ("open('/etc/passwd')", "must be a condition such as"),
        ("__import__('os').system('true')", "must be a condition such as"),
        ("(SELECT 1) = 1", "must be a condition such as"),
        ("1 = 1", "names no column"),
    ],
)
def test_what_is_no_condition_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Condition(text).holds(FRAME)
