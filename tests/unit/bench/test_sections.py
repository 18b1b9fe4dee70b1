"""What the experiments gave, as words and tables."""

from pathlib import Path

import polars as pl

from accuracy_assay.bench.conduct import Outcome, conduct
from accuracy_assay.bench.experiments import EXPERIMENTS, Plan
from accuracy_assay.bench.run import METRICS
from accuracy_assay.bench.sections import experiment_section, simple_section, stats_section
from accuracy_assay.bench.simple_setting import Decomposition, SimpleFit
from accuracy_assay.bench.summary import summarise
from accuracy_assay.bench.surface_stats import surface_stats
from accuracy_assay.tasks.registry import load_task

TASK = "synthetic:rows=1000,attributes=2,values=3"
METHODS = ("beta-independent/random", "beta-independent/largest-variance")


def test_estimation_stands_beside_the_papers_table(tmp_path: Path) -> None:
    plan = Plan((TASK,), ("constant", "beta-independent"), (100, 200), seeds=2, seed_size=100)
    outcome = conduct(EXPERIMENTS["estimation"], plan, data=None, out=tmp_path, jobs=1)
    section = experiment_section(EXPERIMENTS["estimation"], outcome)
    at_size, by_size, printed = section.tables
    mean = outcome.summary.filter(labels=200, method="constant")["macro_mse"].item()
    assert at_size.rows[0][1].startswith(f"{mean:.2f} ± ")
    assert by_size.columns == ("method", "100", "200")
    assert ("beta-gp-slp", "4.7 / 10.4", "2.8 / 5.7", "1.4 / 3.9", "4.3 / 23.3") in printed.rows
    assert "the paper's methods rank" in section.text
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


def test_statistics_name_the_worst_arms() -> None:
    stats = [surface_stats(load_task(name)) for name in ("simple", TASK)]
    section = stats_section(stats, [])
    assert section.tables[0].rows[0][:4] == ("simple", "8,600", "10", "10")
    assert section.tables[2].rows[0] == ("1", "100", "0.1")


def test_the_simple_setting_stands_beside_the_papers() -> None:
    fit = SimpleFit(
        "beta-gp",
        Decomposition(0.05, 1.0),
        Decomposition(0.06, 0.5),
        0.7,
        tuple(float(k) for k in range(10)),
    )
    errors, scales = simple_section([fit]).tables
    assert errors.rows == [
        ("beta-gp", "0.050", "1.000", "1.050", "0.70"),
        ("beta-gp, the paper's", "0.052", "1.011", "1.063", "0.67"),
        ("beta-gp, exact expectation", "0.060", "0.500", "0.560", ""),
    ]
    assert scales.columns[:5] == ("method", "1 (n = 1)", "2 (n = 1)", "3 (n = 1)", "4 (n = 20)")
    assert scales.rows[0][-1] == "9.00"


def outcome_of(experiment: str, errors: dict[str, float], files: tuple[Path, ...] = ()) -> Outcome:
    """One task at 2,000 labels and one seed, with the given macro MSE by method."""
    rows = pl.DataFrame(
        [
            {"task": "digits", "method": method, "seed": 0, "labels": 2_000}
            | dict.fromkeys(METRICS, 1.0)
            | {"macro_mse": error}
            for method, error in errors.items()
        ]
    )
    return Outcome(rows, summarise(rows), files, 0)


def test_an_order_that_is_not_the_papers_is_said() -> None:
    outcome = outcome_of("estimation", {"beta-independent": 1.0, "beta-gp-sl": 2.0})
    text = experiment_section(EXPERIMENTS["estimation"], outcome).text
    assert text.endswith("the other way for beta-independent before beta-gp-sl.")
    outcome = outcome_of("estimation", {"beta-independent": 2.0, "beta-gp-sl": 1.0})
    assert experiment_section(EXPERIMENTS["estimation"], outcome).text.endswith("as in the paper.")


def test_the_parameters_stand_beside_the_papers() -> None:
    outcome = outcome_of("parameterisation", {"beta-gp": 4.5, "beta-gp-ab": 6.0})
    ours, printed = experiment_section(EXPERIMENTS["parameterisation"], outcome).tables
    assert [row[:2] for row in ours.rows] == [("beta-gp", "4.50"), ("beta-gp-ab", "6.00")]
    assert ("mf-celeba", "2,000", "4.6 ± 0.8", "6.2 ± 0.1") in printed.rows
