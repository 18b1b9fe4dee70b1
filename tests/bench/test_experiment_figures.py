"""Which figures an experiment has."""

from pathlib import Path

import polars as pl
import pytest

from assay_bench import experiment_figures
from assay_bench.curves import Panel
from assay_bench.experiment_figures import draw_experiment

Drawn = list[tuple[list[Panel], str, Path]]


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """What would be drawn."""
    found: Drawn = []
    monkeypatch.setattr(experiment_figures, "draw_curves", lambda *figure: found.append(figure))
    return found


def summary(tasks: int, *methods: str) -> pl.DataFrame:
    return pl.DataFrame(
        [{"task": f"task-{k}", "method": method} for k in range(tasks) for method in methods]
    )


def test_estimation_draws_the_worst_arms_and_all_arms(figures: Drawn, tmp_path: Path) -> None:
    paths = draw_experiment("estimation", summary(2, "constant"), frozenset({"task-1"}), tmp_path)
    assert [path.name for path in paths] == ["estimation-worst.png", "estimation-macro.png"]
    assert [panel.metric for panel in figures[0][0]] == ["worst_mse"] * 2
    assert [panel.title for panel in figures[0][0]] == ["task-0 (exact)", "task-1 (guessed)"]


def test_one_task_has_both_errors_in_one_figure(figures: Drawn, tmp_path: Path) -> None:
    (path,) = draw_experiment("larger-space", summary(1, "constant"), frozenset(), tmp_path)
    assert path.name == "larger-space.png"
    assert [panel.metric for panel in figures[0][0]] == ["worst_mse", "macro_mse"]


def test_the_other_experiments_draw_macro_error(figures: Drawn, tmp_path: Path) -> None:
    (path,) = draw_experiment("exploration", summary(2, "constant"), frozenset(), tmp_path)
    assert path.name == "exploration.png"
    assert {panel.metric for panel in figures[0][0]} == {"macro_mse"}


def test_peers_have_a_figure_of_their_own_where_methods_are_many(
    figures: Drawn, tmp_path: Path
) -> None:
    many = [f"made-{k}" for k in range(9)]
    draw_experiment(
        "exploration", summary(2, *many, "shrinkage", "anova-gp"), frozenset(), tmp_path
    )
    shown = [set(panels[0].summary["method"]) for panels, _, _ in figures]
    assert shown == [{*many, "anova-gp"}, {"shrinkage", "anova-gp"}]
