"""What experiments found, in the words of the template: no more than the run itself measured."""

from dataclasses import replace

import polars as pl
import pytest
from bench_outcomes import outcome_of

from assay_bench.conduct import Outcome
from assay_bench.coverage import COVERAGE_METRICS
from assay_bench.experiments import EXPERIMENTS
from assay_bench.sections import experiment_section
from assay_bench.summary import summarise

PAPERS_ORDER = {"beta-gp-sl": 1.0, "beta-independent": 2.0}


def words(name: str, outcome: Outcome) -> str:
    """Return what the section of an experiment says, on one line."""
    return " ".join(experiment_section(EXPERIMENTS[name], outcome).words.split())


def estimation(errors: dict[str, dict[str, float]], **options: object) -> str:
    return words("estimation", outcome_of(errors, **options))  # type: ignore[arg-type]


def test_what_is_guessed_and_what_is_missing_is_said() -> None:
    errors = {"digits": {"anova-gp": 1.0}, "adult5": {"anova-gp": 1.0}}
    outcome = outcome_of(errors, guessed=("digits",), missing="digits has 1 of 3 seeds")
    text = words("referees", outcome)
    assert text.startswith("Some runs are missing: digits has 1 of 3 seeds.")
    assert "Attributes of digits are guessed, except in the seed set; those of adult5 are" in text
    assert "Attributes of adult5 are exact." in words(
        "referees", outcome_of({"adult5": {"anova-gp": 1.0}})
    )


def test_a_task_without_signals_is_named() -> None:
    same = {"anova-gp": 1.0, "anova-gp+signals": 1.0} | PAPERS_ORDER
    other = same | {"anova-gp+signals": 0.5}
    text = estimation({"faces": same, "adult5": other})
    assert "Without free signals, on faces, `+signals` adds nothing." in text
    assert "anova-gp is 1st by macro" in text
    assert "anova-gp+signals is 1st by macro" in text


def test_the_seed_set_is_why_guessed_and_exact_attributes_start_alike() -> None:
    errors = {"digits": PAPERS_ORDER, "digits-exact": PAPERS_ORDER}
    text = estimation(errors, labels=500)
    assert "digits and digits-exact have the same error for every method" in text
    errors["digits-exact"] = PAPERS_ORDER | {"beta-gp-sl": 0.5}
    text = estimation(errors, labels=500)
    assert "for all methods but beta-gp-sl: these labels are the seed set" in text
    assert "the same error for" not in estimation(errors, labels=2_000)
    errors["digits-exact"] = dict.fromkeys(PAPERS_ORDER, 9.0)
    assert "the same error for" not in estimation(errors, labels=500)


def test_the_papers_order_is_not_called_another() -> None:
    text = estimation({"digits": PAPERS_ORDER})
    assert "**digits**, macro: beta-gp-sl 1.00, beta-independent 2.00; worst: beta-gp-sl" in text
    assert "No two of the paper's methods are in the opposite order" in text


def test_a_pair_that_is_turned_is_named_with_its_tasks_and_without_a_cause() -> None:
    errors = {task: {"beta-gp": 1.0, "beta-gp-sl": 2.0} for task in ("digits", "adult5")}
    text = estimation(errors)
    assert text.endswith(
        "deviation over seeds: beta-gp before beta-gp-sl (macro: digits, adult5)."
    )


def test_pairs_that_differ_at_the_same_places_are_said_at_once() -> None:
    errors = {"bern-gp": 1.0, "beta-gp": 1.5, "beta-gp-sl": 2.0, "beta-gp-slp": 2.5}
    text = estimation({"adult5": errors})
    assert "bern-gp and beta-gp before beta-gp-sl and beta-gp-slp (macro: adult5)" in text
    text = estimation({"adult5": errors | {"constant": 3.0}})
    assert "beta-gp before beta-gp-sl, beta-gp-slp and constant (macro: adult5)" in text


def test_that_guesses_help_is_said_only_where_the_exact_task_shows_it() -> None:
    ahead = {"beta-independent": 1.0, "beta-gp-sl": 2.0}
    exact = {"beta-independent": 3.0, "beta-gp-sl": 2.0}
    text = estimation({"digits": ahead, "digits-exact": exact}, guessed=("digits",))
    assert "attributes of digits-exact its macro error is 3.00, not 1.00." in text
    better = {"digits": ahead, "digits-exact": {"beta-independent": 0.5, "beta-gp-sl": 2.0}}
    for errors, guessed in (({"digits": ahead}, ("digits",)), (better, ("digits",))):
        assert "shares labels" not in estimation(errors, guessed=guessed)
    assert "shares labels" not in estimation({"digits": ahead, "digits-exact": exact})


def test_a_gap_within_a_deviation_is_not_called_a_difference() -> None:
    text = estimation({"adult5": {"beta-gp": 1.0, "beta-gp-sl": 1.1}}, spread=1.0)
    assert "within a deviation over seeds: beta-gp before beta-gp-sl (macro: adult5)." in text
    assert "No two of the paper's methods" in text


def test_a_task_of_one_seed_is_named() -> None:
    outcome = outcome_of({"digits": PAPERS_ORDER})
    assert "one seed" not in words("estimation", outcome)
    single = of_one_seed(outcome)
    assert "not judged on digits: one seed has no deviation." in words("estimation", single)


def of_one_seed(outcome: Outcome) -> Outcome:
    return replace(outcome, summary=summarise(outcome.rows.filter(pl.col("seed") == 0)))


def test_one_seed_turns_no_pair_and_no_supervision() -> None:
    turned = {"beta-gp": 1.0, "beta-gp-sl": 2.0}
    text = words("estimation", of_one_seed(outcome_of({"adult5": turned})))
    assert "opposite" not in text
    assert "By more than a deviation" in words("scale", outcome_of({"adult5": turned}))
    assert "deviation" not in words("scale", of_one_seed(outcome_of({"adult5": turned})))


def test_a_cell_that_one_seed_lost_is_said_to_be_one() -> None:
    lost = of_one_seed(outcome_of({"adult5": {"beta-gp": 2.0, "beta-gp-ab": 1.0}}))
    text = words("parameterisation", lost)
    assert "Alpha and beta are ahead in the one seed of adult5 at 2,000." in text
    assert "deviation" not in text


@pytest.mark.parametrize(
    ("n_better", "place"), [(0, "1st"), (1, "2nd"), (10, "11th"), (21, "22nd")]
)
def test_our_place_is_among_all_methods(n_better: int, place: str) -> None:
    errors = {"constant": 3.0, "beta-gp": 2.0, "anova-gp": 1.0}
    errors |= {f"peer-{k}": 0.5 for k in range(n_better)}
    text = estimation({"adult5": errors})
    assert f"Of all {n_better + 3} methods, anova-gp is {place} by macro and" in text


def test_methods_that_the_paper_does_not_have_are_not_ranked() -> None:
    text = estimation({"adult5": {"anova-gp": 1.0, "shrinkage": 2.0}})
    assert text == "Attributes of adult5 are exact."


def test_a_claim_holds_on_the_tasks_where_it_does() -> None:
    slp, alone = "beta-gp-slp/largest-variance", "beta-independent/largest-variance"
    errors = {"digits": {slp: 1.0, alone: 2.0}, "adult5": {slp: 2.0, alone: 1.0}}
    text = words("exploration", outcome_of(errors, labels=1_500))
    assert "beta-gp-slp before beta-independent, which the paper finds most of the time: " in text
    assert "on digits; on adult5 it has 2.00 against 1.00 before a label is chosen, 2.00" in text
    none = words("exploration", outcome_of({"adult5": errors["adult5"]}, labels=1_500))
    assert "on none of these tasks; on adult5" in none


def test_the_best_of_theirs_and_of_ours_are_named() -> None:
    errors = {"constant/random": 3.0, "anova-gp/random": 2.0, "beta-gp/random": 1.0}
    text = words("exploration", outcome_of({"digits": errors}, labels=1_500))
    assert "Macro MSE at 1,500 labels" in text
    assert "- **digits**: beta-gp/random 1.00, constant/random 3.00, anova-gp/random 2.00" in text
    assert "own variance" not in text


def calibrated(raw: float, temperature: float, full: float) -> dict[str, float]:
    return {
        "beta-independent@raw": raw,
        "beta-independent@temperature": temperature,
        "beta-independent@full": full,
    }


def test_the_papers_order_of_calibrations_is_said_to_be_it() -> None:
    text = words("calibration", outcome_of({"am1n": calibrated(3.0, 2.0, 1.0)}))
    assert "- **am1n**: full 1.00, temperature 2.00, raw 3.00; as in the paper." in text


def test_another_order_of_calibrations_is_close_or_not() -> None:
    turned = {"digits": calibrated(3.0, 1.0, 1.1)}
    close = words("calibration", outcome_of(turned, spread=1.0))
    assert "but for full and temperature, which are within a deviation over seeds." in close
    assert "raw 3.00; not the paper's order." in words("calibration", outcome_of(turned))
    alone = words("calibration", outcome_of({"digits": {"beta-independent@raw": 3.0}}))
    assert "- **digits**: raw 3.00." in alone


def test_the_seed_set_is_named_only_where_all_calibrations_agree() -> None:
    same = outcome_of({"digits": calibrated(2.0, 2.0, 2.0)}, labels=500)
    assert "At 500 labels all calibrations have the same error" in words("calibration", same)
    other = outcome_of({"digits": calibrated(3.0, 2.0, 1.0)}, labels=500)
    assert "the same error:" not in words("calibration", other)


def test_cells_that_are_lost_are_named_with_how_clearly() -> None:
    errors = {
        "digits": {"beta-gp": 1.0, "beta-gp-ab": 2.0},
        "adult5": {"beta-gp": 1.1, "beta-gp-ab": 1.0},
    }
    text = words("parameterisation", outcome_of(errors, spread=1.0))
    assert "in 1 of 2 cells" in text
    assert "less than a deviation over seeds for adult5 at 2,000." in text
    clear = words("parameterisation", outcome_of(errors))
    assert "more than a deviation over seeds for adult5 at 2,000." in clear


def test_one_parameterisation_alone_is_not_compared() -> None:
    alone = outcome_of({"digits": {"beta-gp": 1.0}})
    assert "cells" not in words("parameterisation", alone)


def test_a_larger_space_says_how_large_it_is() -> None:
    outcome = outcome_of({"made": {"constant": 2.0, "anova-gp": 1.0}}, labels=3_500)
    text = words("larger-space", outcome)
    assert "made has 600 arms, of which 500 have at least five of its 50,000 rows." in text
    assert "at 3,500 labels, from the smallest: anova-gp 1.00, constant 2.00." in text


def checked(**shares: float) -> Outcome:
    """Two tasks at two sizes; by name, the share of arms held of one task at one size."""
    summary = pl.DataFrame(
        [
            {"task": task, "method": "anova-gp/random", "labels": size, "seeds": 4}
            | dict.fromkeys(COVERAGE_METRICS, 90.0)
            | {"arms_90": shares.get(f"{task}_{size}", 90.0)}
            for task in ("t", "u")
            for size in (30, 100)
        ]
    )
    return Outcome(summary, summary, (), 0)


def test_intervals_that_miss_are_named() -> None:
    text = words("coverage", checked(u_30=70.0, u_100=99.0))
    assert "the mean over tasks is outside 85 to 95%, 80.0% at 30." in text
    assert "under 80% are u 70.0% at 30." in text
    assert "no task is under 80%" in words("coverage", checked())


def scales(**errors: float) -> dict[str, float]:
    """Return errors by method: ``level10`` is a given scale, any other name a method's."""
    given = "beta-gp:scale=share,scale_level="
    names = [(k.replace("level", given) if "level" in k else k.replace("_", "-")) for k in errors]
    return dict(zip(names, errors.values(), strict=True))


def test_a_scale_is_said_to_cost_only_where_errors_fell_with_every_level() -> None:
    falling = scales(level1=5.0, level10=4.0, level100=3.0, level1000=2.0, bern_gp=1.5)
    rising = falling | scales(level100=1.0)
    text = words("scale", outcome_of({"adult5": falling, "faces-exact": rising}))
    assert "**adult5**: level 1 5.00 / 1.00, level 10 4.00 / 1.00" in text
    assert "The macro error falls with every level, on to bern-gp, on adult5." in text
    assert "falls" not in words("scale", outcome_of({"faces-exact": rising}))


def test_supervision_pays_or_costs_where_the_gap_is_beyond_a_deviation() -> None:
    errors = {
        "adult5": scales(beta_gp=1.0, beta_gp_sl=2.0),
        "faces-exact": scales(beta_gp=2.0, beta_gp_sl=1.0),
    }
    text = words("scale", outcome_of(errors))
    assert "supervision costs against beta-gp: beta-gp-sl (macro: adult5)." in text
    assert "supervision pays against beta-gp: beta-gp-sl (macro: faces-exact)." in text
    assert "supervision" not in words("scale", outcome_of(errors, spread=9.0)).split("at;")[1]


def test_a_deep_kernel_says_where_supervision_is_below_and_where_beyond_a_deviation() -> None:
    deep = ":hidden_widths=[64,64]"
    errors = {f"beta-gp{deep}": 2.0, f"beta-gp-sl{deep}": 1.0, f"beta-gp-slp{deep}": 3.0}
    text = words("deep-kernel", outcome_of({"adult5": errors}))
    assert "beta-gp-sl by macro on adult5 and by worst on none of these tasks" in text
    assert "beta-gp-slp by macro on none of these tasks" in text
    assert "supervision pays against beta-gp: beta-gp-sl (macro: adult5)." in text
    assert "supervision costs against beta-gp: beta-gp-slp (macro: adult5)." in text
