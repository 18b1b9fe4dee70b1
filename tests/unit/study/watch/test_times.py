"""Times are put in their order however they are written."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.watch.times import Times, has_time, require_times

EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    "texts",
    [
        ["31 Jan 2026", "1 Feb 2026", "12 Feb 2026"],
        ["Jan 31, 2026", "Feb 01, 2026"],
        ["01/31/2025", "12/01/2025", "01/02/2026"],
        ["31.01.2025 10:00", "01.12.2025 09:00"],
        ["Dec 2025", "Jan 2026"],
        ["-20", "-3", "4", "10"],
        ["v9", "v10"],
        ["1.9", "1.10"],
        ["2026-01-31T23:30:00+02:00", "2026-01-31T22:00:00Z", "2026-02-01"],
    ],
)
def test_texts_are_ordered_by_what_they_mean(texts: list[str]) -> None:
    assert Times.of(pl.Series("t", texts[::-1])).ranks.tolist() == [*range(len(texts), 0, -1)]


def test_a_day_and_a_month_that_could_be_either_are_refused() -> None:
    with pytest.raises(InputError, match="read in one way; got '01/02/2026'"):
        Times.of(pl.Series("t", ["01/02/2026", "03/02/2026"]))


DAYS = [date(2026, 1, 1) + timedelta(days=i) for i in range(90)]


@pytest.mark.parametrize(
    ("times", "baseline", "n"),
    [
        (DAYS, "2026-01", 31),
        ([str(day) for day in DAYS], "2026-01", 31),
        ([f"{day}T12:00:00" for day in DAYS], "2026-01-31", 31),
        ([day.strftime("%d %b %Y") for day in DAYS], "31 Jan 2026", 31),
        ([datetime(2026, 1, 1, i, tzinfo=UTC) for i in range(24)], "2026-01-01T05:00+02:00", 4),
        ([datetime(2026, 1, 1, i, tzinfo=UTC) for i in range(24)], "2026-01-01T05:00", 6),
        (
            [datetime(2026, 1, 1, i, tzinfo=UTC) for i in range(24)],
            datetime(2026, 1, 1, 5, tzinfo=EAST),
            4,
        ),
        ([datetime(2026, 1, 1, i) for i in range(24)], "2026-01-01T05:00+02:00", 4),
        (["a1", "a10", "a2"], "a2", 2),
    ],
)
def test_a_baseline_is_compared_as_the_time_that_it_is(
    times: list[object], baseline: object, n: int
) -> None:
    assert int(Times.of(pl.Series("t", times)).up_to(baseline).sum()) == n


def test_one_mistake_among_dates_is_named_and_names_may_look_like_dates() -> None:
    days = [f"2026-01-{day:02d}" for day in range(1, 29)]
    with pytest.raises(InputError, match="nearly all; got 'soon'"):
        Times.of(pl.Series("t", [*days, "soon"]))
    versions = pl.Series("t", ["2026-01-01", "2026-02-01", "2026-02-01b"])
    assert Times.of(versions).ranks.tolist() == [1, 2, 3]


def test_a_column_that_orders_nothing_is_refused_before_it_is_used() -> None:
    require_times(pl.Series("t", [None, 2, 1]))
    with pytest.raises(InputError, match="in some row; got none"):
        require_times(pl.Series("t", [None, None], dtype=pl.String))
    with pytest.raises(InputError, match="read in one way"):
        require_times(pl.Series("t", ["01/02/2026", "", None]))


@pytest.mark.parametrize("values", [[[1], [2]], [{"day": 1}, {"day": 2}]])
def test_lists_and_records_are_no_times(values: list[object]) -> None:
    with pytest.raises(InputError, match="numbers, dates or texts"):
        Times.of(pl.Series("t", values))


def test_rows_without_a_time_are_known() -> None:
    assert has_time(pl.Series([1.0, None, np.nan, np.inf])).tolist() == [True, False, False, False]
    assert has_time(pl.Series(["a", "", None])).tolist() == [True, False, False]
