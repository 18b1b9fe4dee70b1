"""Tables of each experiment, the paper's beside ours."""

from dataclasses import replace

import polars as pl
from bench_outcomes import outcome_of

from accuracy_assay.tasks.registry import load_task
from assay_bench.conduct import Outcome
from assay_bench.coverage import COVERAGE_METRICS
from assay_bench.simple_setting import Decomposition, SimpleFit
from assay_bench.summary import summarise
from assay_bench.surface_stats import surface_stats
from assay_bench.tables import experiment_tables, simple_tables, stats_tables

PAPERS_ORDER = {"beta-gp-sl": 1.0, "beta-independent": 2.0}


def test_table_2_stands_beside_the_papers_and_so_does_every_table_of_the_appendix() -> None:
    outcome = outcome_of({"digits": PAPERS_ORDER, "adult5": PAPERS_ORDER})
    tables = experiment_tables("estimation", outcome)
    titles = [table.title for table in tables]
    assert tables[0].rows[0] == ("beta-gp-sl", "1.00 / 1.00", "1.00 / 1.00")
    assert titles[0].startswith("Table 2: macro / worst")
    assert ("beta-gp-slp", "4.7 / 10.4", "2.8 / 5.7", "1.4 / 3.9", "4.3 / 23.3") in tables[1].rows
    for name in ("macro", "worst", "micro", "infrequent"):
        ours = titles.index(f"{name.capitalize()} MSE x 100 at 2,000 labels, 2 seeds")
        assert titles[ours + 1].startswith(f"The paper's {name} MSE")
    micro = tables[titles.index("The paper's micro MSE x 100 at 2,000 labels (appendix)")]
    assert ("constant", "3.0 ± 0.0", "1.4 ± 0.0", "0.2 ± 0.0", "0.8 ± 0.0") in micro.rows


def test_one_task_has_all_its_metrics_in_one_table() -> None:
    first = experiment_tables("estimation", outcome_of({"digits": PAPERS_ORDER}))[0]
    assert first.columns[:4] == ("method", "macro", "worst", "micro")


def test_methods_that_a_task_lacks_leave_a_cell_empty() -> None:
    outcome = outcome_of({"digits": {"constant": 4.0}, "faces": {"beta-gp": 3.0}})
    table = experiment_tables("estimation", outcome)[0]
    assert table.columns == ("method", "digits", "faces")
    assert table.rows == [("constant", "4.00 / 1.00", ""), ("beta-gp", "", "3.00 / 1.00")]


def test_tasks_of_unlike_numbers_of_seeds_say_theirs() -> None:
    outcome = outcome_of({"digits": {"constant": 4.0}, "faces": {"constant": 3.0}})
    rows = outcome.rows.filter((pl.col("task") == "digits") | (pl.col("seed") == 0))
    table = experiment_tables("estimation", replace(outcome, summary=summarise(rows)))[0]
    assert table.columns == ("method", "digits, 2 seeds", "faces, 1 seed")


def test_deviations_stand_beside_means_of_several_seeds() -> None:
    outcome = outcome_of({"digits": {"constant": 4.0}}, spread=2.0)
    assert experiment_tables("referees", outcome)[0].rows[0][1] == "4.00 ± 1.41"
    single = summarise(outcome.rows.filter(pl.col("seed") == 0))
    (table,) = experiment_tables("referees", Outcome(outcome.rows, single, (), 0))
    assert table.rows[0][1] == "3.00"
    assert table.title.startswith("digits, 1 seed, floor 1.00")


def test_rounds_that_pass_a_size_by_show_the_last_before_it() -> None:
    parts = [
        outcome_of({"digits": {method: error}}, labels=labels).summary
        for method, labels, error in (
            ("random", 500, 3.0),
            ("random", 692, 2.0),
            ("random", 704, 1.0),
            ("other", 700, 5.0),
        )
    ]
    summary = pl.concat(parts)
    _, by_size = experiment_tables("referees", Outcome(summary, summary, (), 0))
    assert by_size.columns == ("method", "500", "692", "700", "704")
    assert by_size.rows == [
        ("random", "3.00 ± 0.00", "2.00 ± 0.00", "2.00 ± 0.00", "1.00 ± 0.00"),
        ("other", "", "", "5.00 ± 0.00", "5.00 ± 0.00"),
    ]


def test_the_parameters_stand_beside_the_papers() -> None:
    outcome = outcome_of({"digits": {"beta-gp": 4.5, "beta-gp-ab": 6.0}})
    ours, printed = experiment_tables("parameterisation", outcome)
    assert ours.rows == [("digits", "2,000", "4.50 ± 0.00", "6.00 ± 0.00")]
    assert ("mf-celeba", "2,000", "4.6 ± 0.8", "6.2 ± 0.1") in printed.rows


def checked(*methods: str, **shares: float) -> Outcome:
    """Two tasks at two sizes; by name, the share of arms held of one task at one size."""
    summary = pl.DataFrame(
        [
            {"task": task, "method": method, "labels": size, "seeds": 4}
            | dict.fromkeys(COVERAGE_METRICS, 90.0)
            | {"arms_90": shares.get(f"{task}_{size}", 90.0), "wilson_width": 180.0}
            for method in methods or ("anova-gp/random",)
            for task in ("t", "u")
            for size in (30, 100)
        ]
    )
    return Outcome(summary, summary, (), 0)


def test_shares_of_a_class_are_of_all_arms_together() -> None:
    tables = experiment_tables("coverage", checked())
    (found,) = [table for table in tables if "by class" in table.title]
    # 90 arms of each class in each of two tasks, of which 90 hold.
    assert found.rows[0] == ("5 to 9 pool rows", "100 (180)", "100 (180)")
    assert len(found.rows) == 10


def test_shares_are_means_of_tasks_with_the_least_beside() -> None:
    arms, overall = experiment_tables("coverage", checked(u_30=70.0))[:2]
    assert arms.rows == [("anova-gp/random", "80 (70)", "90 (90)")]
    assert [row[0] for row in overall.rows] == ["anova-gp/random", "Wilson, anova-gp/random"]


def test_the_width_of_overall_is_measured_in_that_of_labels_alone() -> None:
    widths = experiment_tables("coverage", checked())[5]
    assert widths.rows == [("anova-gp/random", "0.50 (0.50)", "0.50 (0.50)")]


def test_tasks_that_a_method_lacks_leave_no_row() -> None:
    whole = checked("anova-gp/random", "a+signals/x").summary
    lacks = ~((pl.col("task") == "u") & (pl.col("method") == "a+signals/x"))
    tables = experiment_tables("coverage", Outcome(whole, whole.filter(lacks), (), 0))
    assert tables[0].rows[1] == ("a+signals/x", "90 (90)", "90 (90)")
    assert [row[0] for row in tables[-1].rows] == ["t"]


def test_statistics_name_the_worst_arms_folded() -> None:
    names = ("simple", "synthetic:rows=1000,attributes=2,values=3")
    tables = stats_tables([surface_stats(load_task(name)) for name in names])
    assert tables[0].rows[0][:4] == ("simple", "8,600", "10", "10")
    assert tables[2].rows[0] == ("1", "100", "0.1")
    assert [table.is_folded for table in tables] == [False, False, True, True]


def test_the_simple_setting_stands_beside_the_papers() -> None:
    by_arm = tuple(float(k) for k in range(10))
    fit = SimpleFit("beta-gp", Decomposition(0.05, 1.0), Decomposition(0.06, 0.5), 0.7, by_arm)
    errors, scales = simple_tables([fit])
    assert errors.rows == [
        ("beta-gp", "0.050", "1.000", "1.050", "0.70"),
        ("beta-gp, the paper's", "0.052", "1.011", "1.063", "0.67"),
        ("beta-gp, exact expectation", "0.060", "0.500", "0.560", ""),
    ]
    assert scales.columns[:5] == ("method", "1 (n = 1)", "2 (n = 1)", "3 (n = 1)", "4 (n = 20)")
    assert scales.rows[0][-1] == "9.00"
