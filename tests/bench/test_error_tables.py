"""Tables of errors by task and by labels."""

import polars as pl
from bench_outcomes import outcome_of

from assay_bench.error_tables import by_size, by_task, mean_and_sd, shown_size
from assay_bench.summary import summarise


def test_methods_stand_below_tasks_with_the_metrics_of_a_cell_parted() -> None:
    summary = outcome_of({"digits": {"constant": 4.0}, "faces": {"beta-gp": 3.0}}).summary
    table = by_task("T", summary, ("macro_mse", "worst_mse"), has_sd=False)
    assert table.columns == ("method", "digits", "faces")
    assert table.rows == [("constant", "4.00 / 1.00", ""), ("beta-gp", "", "3.00 / 1.00")]


def test_deviations_stand_beside_means() -> None:
    summary = outcome_of({"digits": {"constant": 4.0}}, spread=2.0).summary
    assert by_task("T", summary, ("macro_mse",)).rows == [("constant", "4.00 ± 1.41")]
    single = summarise(outcome_of({"digits": {"constant": 4.0}}).rows.filter(pl.col("seed") == 0))
    assert mean_and_sd(single.row(0, named=True), "macro_mse") == "4.00"


def test_rounds_that_pass_a_size_by_show_the_last_before_it() -> None:
    parts = [
        outcome_of({"digits": {"constant": error}}, labels=labels).summary
        for labels, error in ((500, 3.0), (692, 2.0), (704, 1.0))
    ]
    table = by_size("T", pl.concat(parts), (400, 500, 700), has_sd=False)
    assert table.rows == [("constant", "", "3.00", "2.00")]


def test_the_size_of_table_2_is_shown_where_it_was_run() -> None:
    sizes = pl.DataFrame({"labels": [500, 2_000, 3_500]})
    assert shown_size(sizes) == 2_000
    assert shown_size(sizes.filter(pl.col("labels") < 2_000)) == 500
