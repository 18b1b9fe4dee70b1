"""What the experiments gave, as words and tables."""

from pathlib import Path

from accuracy_assay.tasks.registry import load_task
from assay_bench.conduct import conduct
from assay_bench.experiments import EXPERIMENTS, Selection
from assay_bench.sections import (
    experiment_section,
    simple_section,
    stats_section,
    unfinished_section,
)
from assay_bench.simple_setting import Decomposition, SimpleFit
from assay_bench.surface_stats import surface_stats

TASK = "synthetic:rows=1000,attributes=2,values=3"
METHODS = ("beta-independent/random", "beta-independent/largest-variance")


def test_estimation_stands_beside_the_papers_table(tmp_path: Path) -> None:
    selection = Selection(
        (TASK,), ("constant", "beta-independent"), (100, 200), seeds=2, seed_size=100
    )
    outcome = conduct(EXPERIMENTS["estimation"], selection, data=None, out=tmp_path, jobs=1)
    section = experiment_section(EXPERIMENTS["estimation"], outcome)
    at_size, printed, by_size = section.tables[:3]
    mean = outcome.summary.filter(labels=200, method="constant")["macro_mse"].item()
    assert at_size.rows[0][1].startswith(f"{mean:.2f} ± ")
    assert by_size.columns == ("method", "100", "200")
    assert printed.title.startswith("The paper's table 2")
    assert f"Attributes of {TASK} are exact." in section.words
    assert "The paper's methods at 200 labels" in section.words
    assert [figure.suffix for figure in section.figures] == [".png"]


def test_exploration_says_what_a_strategy_saves(tmp_path: Path) -> None:
    selection = Selection((TASK,), METHODS, (200,), seeds=1, seed_size=100)
    outcome = conduct(EXPERIMENTS["exploration"], selection, data=None, out=tmp_path, jobs=1)
    section = experiment_section(EXPERIMENTS["exploration"], outcome)
    saved = section.tables[-1]
    assert saved.title.endswith("labels asked for until the last error of random")
    method, asked, needed, ratio = saved.rows[0]
    assert (method, asked) == ("beta-independent/largest-variance", "100")
    assert ratio == ("" if needed == "not reached" else f"{int(needed) / 100:.2f}")


def test_what_is_not_begun_is_said_to_be_so() -> None:
    section = unfinished_section(EXPERIMENTS["estimation"])
    assert section.words == "Nothing of it is finished."


def test_the_appendix_has_its_tables(tmp_path: Path) -> None:
    fit = SimpleFit("beta-gp", Decomposition(0.1, 0.2), Decomposition(0.1, 0.2), 1.0, (1.0,) * 10)
    assert len(simple_section([fit]).tables) == 2
    stats = stats_section([surface_stats(load_task("simple"))], [tmp_path / "s.png"])
    assert stats.words.startswith("Active arms have at least five rows")
    assert stats.figures == [tmp_path / "s.png"]
