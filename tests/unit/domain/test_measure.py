"""Measures are the counts of a confusion table; conditions are SQL and nothing else."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.measure import MEASURES, Condition, Measure
from accuracy_assay.errors import InputError, UnknownNameError

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


def read(name: str | None, where: str | None = None) -> Measure:
    return Measure.read(name, where, y_true="truth", y_pred="said")


@pytest.mark.parametrize("name", MEASURES)
def test_named_measures_are_those_of_the_confusion_table(name: str) -> None:
    measure = read(f"{name}:yes")
    rows = FRAME.filter(measure.qualifies(FRAME))
    scores = measure.scores(rows)
    assert scores is not None
    assert scores.mean() == pytest.approx(BY_HAND[name])
    assert measure.words == f"{name} of 'yes'"


def test_underscores_and_numbers_are_read_as_they_are_meant() -> None:
    assert read("false_positive_rate:yes") == read("false-positive-rate:yes")
    numbers = pl.DataFrame({"truth": [1.0, 0.0, 1.0], "said": [1, 1, 0]})
    measure = read("recall:1")
    assert measure.qualifies(numbers).to_list() == [True, False, True]
    found = measure.scores(numbers.filter(measure.qualifies(numbers)))
    assert found is not None
    assert found.to_list() == [1.0, 0.0]


def test_a_condition_chooses_rows_and_leaves_the_score() -> None:
    measure = read(None, "truth == 'yes' AND age >= 60")
    wanted = T & (FRAME["age"].to_numpy() >= 60)
    assert measure.qualifies(FRAME).to_list() == wanted.tolist()
    assert measure.scores(FRAME) is None
    assert (measure.columns, measure.words) == (("truth", "age"), "accuracy")


def test_a_class_and_a_condition_must_both_hold() -> None:
    measure = read("precision:yes", "age < 40")
    wanted = S & (FRAME["age"].to_numpy() < 40)
    assert measure.qualifies(FRAME).to_list() == wanted.tolist()
    assert measure.columns == ("said", "age")


def test_rows_where_a_value_is_missing_do_not_qualify() -> None:
    frame = pl.DataFrame({"truth": ["yes", None, "no"]})
    assert Condition("truth <> 'no'").holds(frame).to_list() == [True, False, False]
    assert read("recall:yes").qualifies(frame).to_list() == [True, False, False]


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


def test_names_that_cannot_be_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="recal:yes"):
        read("recal:yes")
    with pytest.raises(InputError, match="must name a class, such as recall:yes"):
        read("recall")
    with pytest.raises(InputError, match="must have the columns of truth and prediction"):
        Measure.read("recall:yes", None, y_true=None, y_pred="said")
