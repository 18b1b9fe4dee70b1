from datetime import datetime, timedelta
from pathlib import Path

import polars as pl

from accuracy_assay.reports.watch_picture import Panel, draw_watch, write_watch_picture

TIMES = [datetime(2026, 1, 1) + timedelta(days=i) for i in range(6)]


def timeline(rows: slice = slice(None)) -> pl.DataFrame:
    table = {
        "time": TIMES,
        "mean": [0.8, 0.8, 0.8, 0.4, 0.4, 0.4],
        "lower": [0.7, 0.7, 0.7, 0.3, 0.3, 0.3],
        "upper": [0.9, 0.9, 0.9, 0.5, 0.5, 0.5],
        "labels": [50] * 6,
        "is_baseline": [True] * 2 + [False] * 4,
    }
    return pl.DataFrame(table)[rows]


def test_each_slice_has_a_panel_and_a_kind_of_mark_is_explained_once() -> None:
    alarm = ((TIMES[4], TIMES[3], False),)
    panels = [Panel("overall", timeline(), alarm), Panel("a = b", timeline(slice(1, 6)), alarm)]
    figure = draw_watch(panels, "Alarm: $5 lost. " * 20)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["overall", "a = b"]
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels.count("alarm") == 1
    assert len(labels) == len(set(labels))


def test_the_ending_chooses_the_kind(tmp_path: Path) -> None:
    path = write_watch_picture([Panel("overall", timeline())], "quiet", tmp_path / "a.pdf")
    assert path.read_bytes().startswith(b"%PDF")


def test_moments_of_one_day_are_named_by_the_clock() -> None:
    def below(hours: int) -> list[str]:
        times = [datetime(2026, 1, 1) + timedelta(hours=hours * i) for i in range(6)]
        shown = timeline().with_columns(time=pl.Series(times))
        (axes,) = draw_watch([Panel("overall", shown)], "quiet").axes
        return [text.get_text() for text in axes.get_xticklabels()]

    assert below(1)[:2] == ["00:00", "01:00"]
    assert below(24)[:2] == ["2026-01-01", "2026-01-02"]
