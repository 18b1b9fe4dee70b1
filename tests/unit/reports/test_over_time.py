"""A watch in a report: its picture stands inside the page."""

from base64 import b64decode
from datetime import datetime, timedelta

import polars as pl

from accuracy_assay.reports.over_time import OverTime
from accuracy_assay.reports.watch_picture import Panel

TIMES = [datetime(2026, 1, 1) + timedelta(days=i) for i in range(4)]


def over_time(mean: float) -> OverTime:
    table = {
        "time": TIMES,
        "mean": [mean] * 4,
        "lower": [mean - 0.1] * 4,
        "upper": [mean + 0.1] * 4,
        "labels": [50] * 4,
        "is_baseline": [True, False, False, False],
    }
    panels = [Panel("overall", pl.DataFrame(table))]
    return OverTime("No alarm.", None, panels, (), (), ())


def test_the_picture_is_that_of_the_panels_as_text_for_a_page() -> None:
    drawn = [b64decode(over_time(mean).png) for mean in (0.8, 0.5, 0.8)]
    assert all(picture.startswith(b"\x89PNG") for picture in drawn)
    assert drawn[0] == drawn[2] != drawn[1]
