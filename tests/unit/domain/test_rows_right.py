"""Intervals of small arms in rows."""

import re

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.rows_right import rows_right
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.tasks.synthetic import synthetic

SAID = re.compile(r"(\d+)(?: to (\d+))? of (\d+) right \((?:>)?(\d+)%\)")


def one_arm(**values: object) -> AccuracySurface:
    """An arm of seven rows, none labelled, of which each is right in 2% of cases."""
    known: dict[str, object] = {"n": 0.0, "correct": 0.0, "support": 7.0, "mean": 0.02}
    known |= {"sd": np.sqrt(0.02 * 0.98 / 7.0), "lower": 0.0, "upper": 1.0 / 7.0} | values
    details = known.pop("details", {"target": "pool"})
    arrays = {name: np.array([float(value)]) for name, value in known.items()}  # type: ignore[arg-type]
    space = AttributeSpace((Attribute("a", ("x", "y")),))
    return AccuracySurface(space, np.array([0]), **arrays, details=details)  # type: ignore[arg-type]


def said_of(surface: AccuracySurface) -> str | None:
    return rows_right(surface, np.array([0]))[0]


def test_a_run_of_rows_comes_with_its_binomial_probability() -> None:
    # 0.98^7 = 0.868; none or one: 0.992.
    assert said_of(one_arm()) == "0 to 1 of 7 right (99%)"
    assert said_of(one_arm(upper=0.02, lower=0.0)) is None  # 0.14 rows are no number of rows
    assert said_of(one_arm(mean=0.0, sd=0.0, upper=0.0)) == "0 of 7 right (>99%)"


def test_labelled_rows_count_as_they_are() -> None:
    # Five of six labelled rows are right; the last is a coin: five or six of seven.
    surface = one_arm(
        n=6.0, correct=5.0, mean=5.5 / 7.0, sd=0.5 / 7.0, lower=5.0 / 7.0, upper=6.0 / 7.0
    )
    assert said_of(surface) == "5 to 6 of 7 right (>99%)"
    half = one_arm(n=6.0, correct=5.0, mean=5.5 / 7, sd=0.5 / 7, lower=5.5 / 7, upper=6.0 / 7)
    assert said_of(half) is None


@pytest.mark.parametrize(
    "values",
    [
        {"details": {"target": "population"}},
        {"details": {"target": "pool", "measure": "recall"}},
        {"support": 30.0, "upper": 1.0 / 30.0},
        {"support": 7.3},
        {"n": 7.0, "correct": 1.0, "mean": 1.0 / 7.0, "lower": 1.0 / 7.0, "sd": 0.0},
    ],
)
def test_what_is_no_small_number_of_open_rows_is_said_in_percent(values: dict) -> None:  # type: ignore[type-arg]
    assert said_of(one_arm(**values)) is None


def test_the_text_says_what_the_interval_says_at_every_small_arm() -> None:
    pool = synthetic(rows=400, attributes=2, values=5).rows
    surface = aa.estimate(pool.head(200), ["a1", "a2"], score="correct", pool=pool)
    frame = surface.to_frame()
    assert isinstance(frame, pl.DataFrame)
    small = (pl.col("support") - pl.col("n")).is_between(0.5, 20.5)
    assert frame.filter(small)["in_rows"].is_not_null().all()
    assert frame.filter(~small)["in_rows"].is_null().all()
    for row in frame.filter(small).iter_rows(named=True):
        low, high, of, chance = SAID.fullmatch(row["in_rows"]).groups()  # type: ignore[union-attr]
        assert float(of) == row["support"]
        assert float(low) / float(of) == pytest.approx(row["lower"])
        assert float(high or low) / float(of) == pytest.approx(row["upper"])
        assert float(chance) >= 90.0  # the run was chosen to have at least the level
