"""Measures over arms are the counts of a confusion table; the pool counts as it qualifies."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError

ALONE: dict[str, Any] = {"estimator": {"name": "beta-independent"}}


def world(n_rows: int = 4000, n_labels: int = 1500) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a pool with the truth of all rows, and the labelled ones.

    Women are positive twice as often as men, and found less often; ``age`` changes neither.
    """
    rng = np.random.default_rng(9)
    sex = rng.choice(["f", "m"], n_rows)
    truth = rng.random(n_rows) < np.where(sex == "f", 0.6, 0.3)
    found = np.where(sex == "f", 0.7, 0.9)
    said = np.where(truth, rng.random(n_rows) < found, rng.random(n_rows) < 0.2)
    pool = pl.DataFrame(
        {
            "sex": sex,
            "age": rng.choice(["young", "old"], n_rows),
            "truth": np.where(truth, "yes", "no"),
            "said": np.where(said, "yes", "no"),
            "hours": rng.integers(0, 60, n_rows),
        }
    )
    return pool, pool[:n_labels]


POOL, LABELLED = world()
COLUMNS = {"y_true": "truth", "y_pred": "said"}


def rate(frame: pl.DataFrame, where: pl.Expr, right: pl.Expr) -> float:
    rows = frame.filter(where)
    return float(rows.select(right.cast(pl.Float64).mean()).item())


IS_YES, SAID_YES = pl.col("truth") == "yes", pl.col("said") == "yes"


@pytest.mark.parametrize(
    ("measure", "where", "right"),
    [
        ("recall:yes", IS_YES, SAID_YES),
        ("false-positive-rate:yes", ~IS_YES, SAID_YES),
        ("precision:yes", SAID_YES, IS_YES),
    ],
)
def test_without_a_pool_groups_have_the_rates_of_their_rows(
    measure: str, where: pl.Expr, right: pl.Expr
) -> None:
    surface = aa.estimate(LABELLED, ["sex"], **COLUMNS, measure=measure, **ALONE)
    for row in surface.by_group("sex").iter_rows(named=True):
        group = LABELLED.filter(sex=row["sex"])
        assert row["mean"] == pytest.approx(rate(group, where, right), abs=2e-3)
        assert row["n"] == row["support"] == group.filter(where).height
    assert surface.overall.mean == pytest.approx(rate(LABELLED, where, right), abs=2e-3)
    assert surface.details["measure"] == f"{measure.partition(':')[0]} of 'yes'"


def test_a_known_condition_filters_the_pool_exactly() -> None:
    unlabelled = POOL.drop("truth")
    surface = aa.estimate(
        LABELLED, ["sex"], **COLUMNS, pool=unlabelled, measure="precision:yes", **ALONE
    )
    sizes = dict(surface.to_frame().select("sex", "support").iter_rows())
    assert sizes == {s: POOL.filter(SAID_YES, sex=s).height for s in ("f", "m")}
    assert "rows_are_expected" not in surface.details
    hours = aa.estimate(
        LABELLED, ["sex"], **COLUMNS, pool=unlabelled, where="hours >= 30", **ALONE
    )
    assert hours.support.sum() == POOL.filter(pl.col("hours") >= 30).height
    assert hours.n_labels == LABELLED.filter(pl.col("hours") >= 30).height
    assert (hours.details["measure"], hours.details["where"]) == ("accuracy", "hours >= 30")


@pytest.mark.parametrize("pool", [POOL.drop("truth"), POOL.drop("truth", "said")])
def test_where_the_truth_decides_the_pool_has_its_expected_rows(pool: pl.DataFrame) -> None:
    surface = aa.estimate(
        LABELLED, ["sex", "age"], **COLUMNS, pool=pool, measure="recall:yes", **ALONE
    )
    assert surface.details["rows_are_expected"] is True
    for row in surface.by_group("sex").iter_rows(named=True):
        true = POOL.filter(IS_YES, sex=row["sex"])
        # 2,500 rows have no label; a share from 700 labels is off by 0.02 at most.
        assert row["support"] == pytest.approx(true.height, rel=0.1)
        assert row["mean"] == pytest.approx(rate(true, IS_YES, SAID_YES), abs=0.04)
        assert row["lower"] < rate(true, IS_YES, SAID_YES) < row["upper"]
    assert surface.overall.mean == pytest.approx(rate(POOL, IS_YES, SAID_YES), abs=0.03)
    gap = surface.difference("sex")
    assert (gap.high, gap.low) == ("m", "f")
    assert gap.lower < 0.2 < gap.upper


def test_rows_without_a_truth_are_the_pool() -> None:
    some = POOL.with_columns(truth=pl.when(pl.int_range(pl.len()) < 1500).then(pl.col("truth")))
    one = aa.estimate(some, ["sex"], **COLUMNS, measure="recall:yes", **ALONE)
    two = aa.estimate(LABELLED, ["sex"], **COLUMNS, pool=POOL, measure="recall:yes", **ALONE)
    assert one.overall.mean == pytest.approx(two.overall.mean)
    assert one.support.sum() == pytest.approx(two.support.sum())


def test_a_condition_on_the_truth_is_recall_by_another_name() -> None:
    named = aa.estimate(LABELLED, ["sex"], **COLUMNS, measure="recall:yes", **ALONE)
    plain = aa.estimate(LABELLED, ["sex"], **COLUMNS, where="truth == 'yes'", **ALONE)
    assert plain.mean.tolist() == pytest.approx(named.mean.tolist())
    pool = POOL.drop("truth")
    named, plain = (
        aa.estimate(LABELLED, ["sex"], **COLUMNS, pool=pool, **asked, **ALONE)
        for asked in ({"measure": "recall:yes"}, {"where": "truth == 'yes'"})
    )
    # One counts what was predicted in the pool, the other supposes labels at random.
    assert plain.mean.tolist() == pytest.approx(named.mean.tolist(), abs=0.02)
    assert plain.support.tolist() == pytest.approx(named.support.tolist(), rel=0.05)


def test_labels_that_were_chosen_by_a_signal_leave_recall_right() -> None:
    # Of those that were predicted, nearly all are labelled; of the others, a few.
    rng = np.random.default_rng(2)
    chance = np.where(POOL["said"].to_numpy() == "yes", 0.9, 0.15)
    chosen = POOL.filter(pl.Series(rng.random(POOL.height) < chance))
    surface = aa.estimate(
        chosen, ["sex"], **COLUMNS, pool=POOL.drop("truth"), measure="recall:yes", **ALONE
    )
    for row in surface.by_group("sex").iter_rows(named=True):
        true = rate(POOL.filter(sex=row["sex"]), IS_YES, SAID_YES)
        # Some 15 to 80 of those that were missed are labelled: three standard errors.
        assert row["mean"] == pytest.approx(true, abs=0.1)
        assert rate(chosen.filter(sex=row["sex"]), IS_YES, SAID_YES) > true + 0.05


def test_arms_without_a_row_that_qualifies_are_not_in_the_pool() -> None:
    none = LABELLED.with_columns(
        truth=pl.when(pl.col("sex") == "m").then(pl.lit("no")).otherwise(pl.col("truth"))
    )
    men_are_labelled = pl.concat([none.filter(sex="m"), POOL.filter(sex="f")])
    surface = aa.estimate(
        none,
        ["sex"],
        **COLUMNS,
        pool=men_are_labelled.drop("truth"),
        measure="recall:yes",
        **ALONE,
    )
    status = dict(surface.to_frame().select("sex", "status").iter_rows())
    assert surface.to_frame().filter(sex="m")["support"][0] < 1.0
    assert status["f"] == "estimated"


def test_scaled_absolute_error_is_an_agreement() -> None:
    rows = pl.DataFrame(
        {
            "sex": ["f", "m"] * 3,
            "truth": [10.0, 20, 30, 40, 50, 60],
            "said": [10, 40, 30, 40, 0, 60],
        }
    )
    surface = aa.estimate(rows, ["sex"], **COLUMNS, agreement="absolute:0:100", **ALONE)
    found = dict(surface.to_frame().select("sex", "correct").iter_rows())
    assert found == pytest.approx({"f": 2.5, "m": 2.8})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "recall:maybe"}, "must qualify for recall of 'maybe'; got none of 1500"),
        ({"where": "truth = 'yes'", "signals": ["hours"]}, "signals must be left out"),
        ({"where": "truth = 'yes'", "cluster": "hours"}, "cluster must be left out"),
        ({"where": "truth = 'yes'", "target": "pool"}, "target must be 'population'"),
        ({"where": "lenght > 3"}, "lenght"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        aa.estimate(LABELLED, ["sex"], **COLUMNS, pool=POOL.drop("truth"), **options, **ALONE)


def test_a_pool_may_say_how_many_rows_each_of_its_rows_stands_for() -> None:
    counted = POOL.group_by("sex", "age").len("rows")
    one, two = (
        aa.estimate(LABELLED, ["sex", "age"], **COLUMNS, pool=pool, weight=weight, **ALONE)
        for pool, weight in ((POOL, None), (counted, "rows"))
    )
    assert one.support.tolist() == two.support.tolist()
    assert one.overall == two.overall
    for pool, message in (
        (counted.with_columns(rows=0.0), "more than 0"),
        (counted.with_columns(rows=pl.lit("x")), "must hold a number"),
        (None, "must go with a pool"),
    ):
        with pytest.raises(InputError, match=message):
            aa.estimate(LABELLED, ["sex"], **COLUMNS, pool=pool, weight="rows", **ALONE)
