"""Mean and scale beside alpha and beta."""

from bench_outcomes import outcome_of

from assay_bench.parameter_section import parameter_tables, parameter_words


def test_the_parameters_stand_beside_the_papers() -> None:
    outcome = outcome_of({"digits": {"beta-gp": 4.5, "beta-gp-ab": 6.0}})
    ours, printed = parameter_tables(outcome)
    assert ours.rows == [("digits", "2,000", "4.50 ± 0.00", "6.00 ± 0.00")]
    assert ("mf-celeba", "2,000", "4.6 ± 0.8", "6.2 ± 0.1") in printed.rows


def test_cells_that_are_lost_are_named_with_how_clearly() -> None:
    errors = {
        "digits": {"beta-gp": 1.0, "beta-gp-ab": 2.0},
        "adult5": {"beta-gp": 1.1, "beta-gp-ab": 1.0},
    }
    words = parameter_words(outcome_of(errors, spread=1.0))
    assert "in 1 of 2 cells" in words
    assert "less than a deviation over seeds for adult5 at 2,000." in words
    clear = parameter_words(outcome_of(errors))
    assert "ahead by more for adult5 at 2,000; the reason is not known." in clear


def test_one_method_alone_is_not_compared() -> None:
    assert parameter_words(outcome_of({"digits": {"beta-gp": 1.0}})) == ""
