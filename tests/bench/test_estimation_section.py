"""Table 2 and its order, beside the paper's."""

from dataclasses import replace

import polars as pl
from bench_outcomes import outcome_of

from assay_bench.estimation_section import estimation_tables, order_words
from assay_bench.summary import summarise

PAPERS_ORDER = {"beta-gp-sl": 1.0, "beta-independent": 2.0}


def test_table_2_stands_beside_the_papers_and_so_does_every_table_of_the_appendix() -> None:
    outcome = outcome_of({"digits": PAPERS_ORDER, "adult5": PAPERS_ORDER})
    tables = list(estimation_tables(outcome))
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
    first = next(estimation_tables(outcome_of({"digits": PAPERS_ORDER})))
    assert first.columns[:4] == ("method", "macro", "worst", "micro")


def test_a_task_without_signals_is_named() -> None:
    same = {"anova-gp": 1.0, "anova-gp+signals": 1.0} | PAPERS_ORDER
    other = same | {"anova-gp+signals": 0.5}
    words = order_words(outcome_of({"faces": same, "adult5": other}))
    assert "No free signals are at hand on faces:" in words
    assert "anova-gp is 1st by macro" in words
    assert "anova-gp+signals is 1st by macro" in words


def test_the_seed_set_is_why_guessed_and_exact_attributes_start_alike() -> None:
    errors = {"digits": PAPERS_ORDER, "digits-exact": PAPERS_ORDER}
    words = order_words(outcome_of(errors, labels=500))
    assert "digits and digits-exact have the same error for every method" in words
    errors["digits-exact"] = PAPERS_ORDER | {"beta-gp-sl": 0.5}
    words = order_words(outcome_of(errors, labels=500))
    assert "for all methods but beta-gp-sl: these labels are the seed set" in words
    errors["digits-exact"] = dict.fromkeys(PAPERS_ORDER, 9.0)
    assert "the same error for" not in order_words(outcome_of(errors, labels=500))


def test_the_papers_order_is_not_called_another() -> None:
    words = order_words(outcome_of({"digits": PAPERS_ORDER}))
    assert "macro: beta-gp-sl 1.00, beta-independent 2.00" in words
    assert "No two of the paper's methods stand the other way round" in words


def test_a_pair_that_is_turned_has_its_reason_and_its_tasks() -> None:
    errors = {task: {"beta-gp": 1.0, "beta-gp-sl": 2.0} for task in ("digits", "adult5")}
    words = order_words(outcome_of(errors))
    assert "beta-gp before beta-gp-sl (macro: digits, adult5)" in words
    assert "towards one half" in words


def test_pairs_that_differ_at_the_same_places_are_said_at_once() -> None:
    errors = {"bern-gp": 1.0, "beta-gp": 1.5, "beta-gp-sl": 2.0, "beta-gp-slp": 2.5}
    words = order_words(outcome_of({"adult5": errors}))
    assert "- bern-gp and beta-gp before beta-gp-sl and beta-gp-slp (macro: adult5): the" in words


def test_a_pair_without_a_reason_is_said_to_have_none() -> None:
    words = order_words(outcome_of({"adult5": {"beta-independent": 1.0, "beta-gp-sl": 2.0}}))
    assert "beta-independent before beta-gp-sl (macro: adult5): the reason is not known." in words


def test_a_gap_within_a_deviation_is_not_called_a_difference() -> None:
    words = order_words(outcome_of({"adult5": {"beta-gp": 1.0, "beta-gp-sl": 1.1}}, spread=1.0))
    assert "within a deviation over seeds, for beta-gp before beta-gp-sl (macro: adult5)" in words
    assert "towards one half" not in words


def test_a_task_of_one_seed_is_named() -> None:
    outcome = outcome_of({"digits": PAPERS_ORDER})
    assert "One seed" not in order_words(outcome)
    single = replace(outcome, summary=summarise(outcome.rows.filter(pl.col("seed") == 0)))
    assert "One seed, and so no deviation, is at hand of digits." in order_words(single)


def test_our_place_is_among_all_methods() -> None:
    errors = {"constant": 3.0, "beta-gp": 2.0, "shrinkage": 0.5, "anova-gp": 1.0}
    words = order_words(outcome_of({"adult5": errors}))
    assert "Among all 4 methods, anova-gp is 2nd by macro and" in words


def test_methods_that_the_paper_does_not_have_are_not_ranked() -> None:
    assert order_words(outcome_of({"adult5": {"anova-gp": 1.0, "shrinkage": 2.0}})) == ""
