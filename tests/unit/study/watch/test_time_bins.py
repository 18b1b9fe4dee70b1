import numpy as np
import polars as pl
import pytest
from drifting_rows import drifting_rows

from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.watch.stream import read_stream
from accuracy_assay.study.watch.time_bins import count_bins, timeline

ROWS = drifting_rows(n=1200)
COLUMNS = Columns(("region", "sex"), "right")


@pytest.mark.parametrize("days", [30, 1200])
def test_a_timeline_has_every_label_once_and_the_mean_of_its_rows(days: int) -> None:
    rows = ROWS.with_columns(day=pl.int_range(pl.len()) * days // 1200)
    stream = read_stream(COLUMNS, rows, "day", days // 3)
    found = timeline(count_bins(stream), stream.space, {"region": "north"}, 0.9)
    north = rows.filter(region="north")
    assert found["labels"].sum() == north.height
    right = (found["mean"] * found["labels"]).sum()
    assert right == pytest.approx(north["right"].sum())
    assert (found["lower"] <= found["mean"]).all()
    assert (found["mean"] <= found["upper"]).all()
    assert found["time"].is_sorted()


def test_no_stretch_has_labels_of_the_baseline_and_later_ones() -> None:
    rows = ROWS.with_columns(day=pl.int_range(pl.len()))
    stream = read_stream(COLUMNS, rows, "day", 399)
    found = timeline(count_bins(stream), stream.space, {}, 0.9)
    assert found.filter("is_baseline")["labels"].sum() == 400


def test_intervals_hold_the_rate(rng: np.random.Generator) -> None:
    rows = pl.DataFrame(
        {"day": np.arange(4000) // 100, "sex": ["F", "M"] * 2000, "right": rng.random(4000) < 0.7}
    )
    stream = read_stream(Columns(("sex",), "right"), rows, "day", 10)
    found = timeline(count_bins(stream), stream.space, {}, 0.9)
    held = ((found["lower"] <= 0.7) & (found["upper"] >= 0.7)).mean()
    # 40 intervals of 90%: three standard errors are 14 points.
    assert held >= 0.76
