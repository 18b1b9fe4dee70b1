"""What the paper claims of exploration, and where it holds."""

from bench_outcomes import outcome_of

from assay_bench.exploration_words import exploration_words


def test_a_claim_holds_on_the_tasks_where_it_does() -> None:
    slp, alone = "beta-gp-slp/largest-variance", "beta-independent/largest-variance"
    errors = {"digits": {slp: 1.0, alone: 2.0}, "adult5": {slp: 2.0, alone: 1.0}}
    words = exploration_words(outcome_of(errors, labels=1_500))
    assert "beta-gp-slp before beta-independent, which the paper finds most of the time: " in words
    assert "on digits; on adult5 the other is ahead before a label is chosen." in words
    none = exploration_words(outcome_of({"adult5": errors["adult5"]}, labels=1_500))
    assert "on none of these tasks; on adult5" in none


def test_the_best_of_theirs_and_of_ours_are_named() -> None:
    errors = {"constant/random": 3.0, "anova-gp/random": 2.0, "beta-gp/random": 1.0}
    words = exploration_words(outcome_of({"digits": errors}, labels=1_500))
    assert "Macro MSE at 1,500 labels" in words
    assert "- **digits**: beta-gp/random 1.00, constant/random 3.00, anova-gp/random 2.00" in words
