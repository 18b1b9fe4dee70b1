"""A measure is a rule and a condition over columns; rules may be those of other packages."""

from dataclasses import dataclass

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.study.measures.measure import Measure

COLUMNS = Columns(("age",), y_true="truth", y_pred="said")
FRAME = pl.DataFrame(
    {
        "truth": ["yes", "yes", "no", "yes"],
        "said": ["yes", "no", "yes", "yes"],
        "age": [20, 70, 30, 65],
    }
)


@dataclass(frozen=True)
class Among:
    """Of the rows with a truth, those whose truth is among several answers."""

    apart: str = "|"

    @property
    def is_error(self) -> bool:
        return False

    def deciding(self, columns: Columns) -> tuple[str, ...]:
        return (str(columns.y_true),)

    def qualifies(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        return rows.get_column(str(columns.y_true)).is_not_null()

    def scores(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        answers = pl.col(str(columns.y_pred)).str.split(self.apart)
        return rows.select(answers.list.contains(pl.col(str(columns.y_true)))).to_series()


def read(name: str | None, where: str | None = None) -> Measure:
    return Measure.read(name, where, COLUMNS)


def test_a_condition_chooses_rows_and_leaves_the_score() -> None:
    measure = read(None, "truth == 'yes' AND age >= 60")
    assert measure.qualifies(FRAME).to_list() == [False, True, False, True]
    assert measure.scores(FRAME) is None
    assert (measure.deciding, measure.words) == (("truth", "age"), "accuracy")
    assert not measure.is_error


def test_a_rule_and_a_condition_must_both_hold() -> None:
    measure = read("precision:yes", "age < 60")
    assert measure.qualifies(FRAME).to_list() == [True, False, True, False]
    assert measure.deciding == ("said", "age")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("recall:yes", "recall of 'yes'"),
        ("false_positive_rate:yes", "false-positive-rate of 'yes'"),
        ({"name": "precision", "of": "no"}, "precision of 'no'"),
        (Among(), "Among"),
        ("accuracy", "accuracy"),
    ],
)
def test_a_measure_is_called_by_its_name_and_its_class(name: str, words: str) -> None:
    assert read(name).words == words


def test_a_rule_without_its_columns_is_refused() -> None:
    with pytest.raises(InputError, match="must have columns of truth and prediction"):
        Measure.read("recall:yes", None, Columns(("age",), y_pred="said"))


def test_a_rule_that_does_not_say_one_value_per_row_is_refused() -> None:
    class Short(Among):
        def scores(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
            return pl.Series([1.0])

        def qualifies(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
            return pl.Series([1] * rows.height)

    measure = Measure.read(Short(), None, COLUMNS)
    with pytest.raises(InputError, match="'Short' must return one value per row; got 1 for 4"):
        measure.scores(FRAME)
    with pytest.raises(InputError, match="by true and false; got Int64"):
        measure.qualifies(FRAME)


def test_a_surface_of_one_s_own_measure_has_its_average() -> None:
    rows = pl.DataFrame(
        {
            "sex": ["f"] * 4 + ["m"] * 4,
            "truth": ["a", "b", "c", None] + ["a"] * 4,
            "said": ["a|b", "c|b", "a|b", "a|b", "a|c", "a|b", "b|c", "c|b"],
        }
    )
    surface = aa.estimate(
        rows.filter(pl.col("truth").is_not_null()),
        ["sex"],
        y_true="truth",
        y_pred="said",
        measure=Among(),
        estimator={"name": "beta-independent"},
    )
    assert surface.measure == "Among"
    assert surface.correct.tolist() == [2.0, 2.0]
    assert surface.n.tolist() == [3.0, 4.0]


class Failing(Among):
    """A rule that fails."""

    def deciding(self, columns: Columns) -> tuple[str, ...]:
        raise KeyError("truth")


def test_a_rule_that_fails_is_named_with_what_went_wrong() -> None:
    with pytest.raises(
        InputError, match="measure 'Failing' must work on these columns; got KeyError"
    ):
        Measure.read(Failing(), None, COLUMNS)
