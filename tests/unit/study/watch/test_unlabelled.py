import numpy as np
import polars as pl
import pytest

from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.watched import Watch


def shifting_rows(shifted: float, labelled: float = 0.25, n: int = 6000) -> pl.DataFrame:
    """Return rows whose region c, right half of the time, grows from day 20 on."""
    rng = np.random.default_rng(1)
    day = np.sort(rng.integers(0, 40, n))
    is_c = rng.random(n) < np.where(day < 20, 0.2, 0.2 + shifted)
    region = np.where(is_c, "c", rng.choice(["a", "b"], n))
    right = (rng.random(n) < np.where(is_c, 0.5, 0.9)).astype(int)
    rows = pl.DataFrame({"day": day, "region": region, "right": right})
    has_label = pl.Series(rng.random(n) < labelled)
    return rows.with_columns(right=pl.when(has_label).then("right"))


def shifts(rows: pl.DataFrame, **options: object) -> Watch:
    return watch(rows, ["region"], "right", time="day", baseline=9, **options)


@pytest.fixture(scope="module")
def grown() -> Watch:
    return shifts(shifting_rows(0.4))


def test_a_mix_that_shifts_is_a_forecast_with_its_interval(grown: Watch) -> None:
    whole = grown.shifts.row(0, named=True)
    assert whole["slice"] == "overall"
    assert whole["is_shift"]
    # 40 points more rows of a kind that is 40 points less accurate.
    assert whole["lower"] <= -0.16 <= whole["upper"]
    assert "Unlabelled rows alone" in str(grown)
    c = grown.shifts.filter(slice="region = c").row(0, named=True)
    assert c["share_before"] == pytest.approx(0.2, abs=0.03)
    assert c["share_now"] == pytest.approx(0.6, abs=0.04)
    assert c["is_shift"]
    assert not c["ask"]


def test_a_slice_that_grew_without_labels_asks_for_them(grown: Watch) -> None:
    rows = shifting_rows(0.4)
    unseen = (pl.col("region") == "c") & (pl.col("day") >= 25)
    rows = rows.with_columns(right=pl.when(~unseen).then("right"))
    found = shifts(rows).shifts.filter("ask")
    assert found["slice"].to_list() == ["region = c"]


def test_nothing_is_said_of_a_mix_that_stays_and_of_rows_that_are_all_labelled() -> None:
    quiet = shifts(shifting_rows(0.0))
    assert not quiet.shifts["is_shift"].any()
    assert "Unlabelled" not in str(quiet)
    rows = shifting_rows(0.0, labelled=1.0)
    assert shifts(rows).shifts.height == 0


def test_a_pool_beside_the_labels_and_unlabelled_rows_among_them_say_the_same(
    grown: Watch,
) -> None:
    rows = shifting_rows(0.4)
    found = shifts(rows.drop_nulls("right"), pool=rows.drop("right"))
    assert found.shifts["share_now"].to_list() == grown.shifts["share_now"].to_list()
    assert found.alarms.equals(grown.alarms)


def test_confidence_that_falls_is_a_forecast() -> None:
    rng = np.random.default_rng(2)
    n = 6000
    day = np.sort(rng.integers(0, 40, n))
    sure = rng.beta(np.where(day < 20, 6.0, 3.0), 2.0)
    right = (rng.random(n) < sure).astype(int)
    rows = pl.DataFrame({"day": day, "sure": sure, "sex": ["F", "M"] * 3000, "right": right})
    rows = rows.with_columns(right=pl.when(pl.Series(rng.random(n) < 0.3)).then("right"))
    found = watch(rows, ["sex"], "right", time="day", baseline=9, signals=["sure"])
    whole = found.shifts.row(0, named=True)
    truth = right[day >= 33].mean() - right[day <= 9].mean()
    assert whole["is_shift"]
    # Low confidence was rare in the baseline: what it is worth is known to half of the change.
    assert whole["expected_change"] == pytest.approx(truth, rel=0.5)
