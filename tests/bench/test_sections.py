"""What the experiments gave, as words and tables."""

from pathlib import Path

from bench_outcomes import outcome_of

from assay_bench.conduct import conduct
from assay_bench.experiments import EXPERIMENTS, Plan
from assay_bench.sections import experiment_section

TASK = "synthetic:rows=1000,attributes=2,values=3"
METHODS = ("beta-independent/random", "beta-independent/largest-variance")


def test_estimation_stands_beside_the_papers_table(tmp_path: Path) -> None:
    plan = Plan((TASK,), ("constant", "beta-independent"), (100, 200), seeds=2, seed_size=100)
    outcome = conduct(EXPERIMENTS["estimation"], plan, data=None, out=tmp_path, jobs=1)
    section = experiment_section(EXPERIMENTS["estimation"], outcome)
    at_size, printed, by_size = section.tables[:3]
    mean = outcome.summary.filter(labels=200, method="constant")["macro_mse"].item()
    assert at_size.rows[0][1].startswith(f"{mean:.2f} ± ")
    assert by_size.columns == ("method", "100", "200")
    assert printed.title.startswith("The paper's table 2")
    assert f"Attributes of {TASK} are exact." in section.text
    assert "The paper's methods at 200 labels" in section.text
    assert [figure.suffix for figure in section.figures] == [".png"]


def test_exploration_says_what_a_strategy_saves(tmp_path: Path) -> None:
    plan = Plan((TASK,), METHODS, (200,), seeds=1, seed_size=100)
    outcome = conduct(EXPERIMENTS["exploration"], plan, data=None, out=tmp_path, jobs=1)
    section = experiment_section(EXPERIMENTS["exploration"], outcome)
    saved = section.tables[-1]
    assert saved.title.endswith("labels asked for until the last error of random")
    method, asked, needed, ratio = saved.rows[0]
    assert (method, asked) == ("beta-independent/largest-variance", "100")
    assert ratio == ("" if needed == "not reached" else f"{int(needed) / 100:.2f}")


def test_a_larger_space_says_how_large_it_is() -> None:
    outcome = outcome_of({"made": {"constant": 2.0, "anova-gp": 1.0}}, labels=3_500)
    text = experiment_section(EXPERIMENTS["larger-space"], outcome).text
    assert "made has 600 arms, of which 500 have at least five of its 50,000 rows." in text
    assert "at 3,500 labels, from the smallest: anova-gp 1.00, constant 2.00." in text


def test_what_is_guessed_and_what_is_missing_is_said() -> None:
    errors = {"digits": {"anova-gp": 1.0}, "adult5": {"anova-gp": 1.0}}
    outcome = outcome_of(errors, guessed=("digits",), missing="digits has 1 of 3 seeds")
    text = experiment_section(EXPERIMENTS["referees"], outcome).text
    assert "Attributes of digits are guessed, but for the seed set; those of adult5 are" in text
    assert text.startswith("Not all of it is run: digits has 1 of 3 seeds.")
