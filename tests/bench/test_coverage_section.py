"""The check of intervals in words and tables."""

from pathlib import Path

import polars as pl

from assay_bench.coverage import COVERAGE_METRICS
from assay_bench.coverage_section import coverage_section


def summary(**shares: float) -> pl.DataFrame:
    """Two tasks at two sizes; by name, the share of arms held of one task at one size."""
    return pl.DataFrame(
        [
            {"task": task, "method": "anova-gp/random", "labels": size, "seeds": 4}
            | dict.fromkeys(COVERAGE_METRICS, 90.0)
            | {"arms_90": shares.get(f"{task}_{size}", 90.0), "wilson_width": 180.0}
            for task in ("t", "u")
            for size in (30, 100)
        ]
    )


def test_shares_are_means_of_tasks_with_the_least_beside() -> None:
    section = coverage_section("T", summary(u_30=70.0), (Path("a.csv"), Path("a.png")))
    arms, overall = section.tables[:2]
    assert arms.rows == [("anova-gp/random", "80 (70)", "90 (90)")]
    assert [row[0] for row in overall.rows] == ["anova-gp/random", "Wilson, anova-gp/random"]
    assert section.figures == [Path("a.png")]


def test_the_width_of_overall_is_measured_in_that_of_labels_alone() -> None:
    widths = coverage_section("T", summary(), ()).tables[5]
    assert widths.rows == [("anova-gp/random", "0.50 (0.50)", "0.50 (0.50)")]


def test_what_misses_is_named() -> None:
    text = coverage_section("T", summary(u_30=70.0, u_100=99.0), ()).text
    assert "the mean of tasks is outside 85 to 95 %, 80.0 % at 30." in text
    assert "under 80 % are u 70.0 % at 30." in text
    assert "no task is under 80 %" in coverage_section("T", summary(), ()).text


def test_tasks_that_a_method_lacks_leave_no_row() -> None:
    both = pl.concat(
        [
            summary(),
            summary().filter(pl.col("task") == "t").with_columns(method=pl.lit("a+signals/x")),
        ]
    )
    tables = coverage_section("T", both, ()).tables
    assert tables[0].rows[1] == ("a+signals/x", "90 (90)", "90 (90)")
    assert [row[0] for row in tables[-1].rows] == ["t"]
