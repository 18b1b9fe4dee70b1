"""Curves of error: a panel per task, bands of one standard error."""

from pathlib import Path

import polars as pl
import pytest

from assay_bench import curves
from assay_bench.curves import Panel, draw_curves, draw_experiment, standard_error


def summary(sizes: list[int], *, sd: float | None = None, seeds: int = 1) -> pl.DataFrame:
    """Two methods; the deviation of a single seed is missing."""
    n = 2 * len(sizes)
    return pl.DataFrame(
        {
            "method": ["one-method"] * len(sizes) + ["other-method"] * len(sizes),
            "labels": sizes * 2,
            "seeds": [seeds] * n,
            "macro_mse": [1.0 + k for k in range(n)],
            "macro_mse_sd": pl.Series([sd] * n, dtype=pl.Float64),
            "floor_mse": [0.5] * n,
        }
    )


def drawn(panels: list[Panel], path: Path) -> str:
    draw_curves(panels, "a title", path)
    return path.read_text()


def test_a_band_is_the_error_of_the_mean_and_not_the_deviation() -> None:
    assert standard_error(summary([500], sd=3.0, seeds=9), "macro_mse") == pytest.approx(1.0)
    assert standard_error(summary([500]), "macro_mse") == pytest.approx(0.0)


@pytest.mark.parametrize("n_tasks", [1, 2, 3, 4, 5])
def test_every_task_has_a_panel_and_the_legend_names_each_line_once(
    tmp_path: Path, n_tasks: int
) -> None:
    names = [f"task-{k}" for k in range(n_tasks)]
    panels = [Panel(name, summary([500, 1000]), "macro_mse") for name in names]
    text = drawn(panels, tmp_path / "new" / "figure.svg")
    for name in names:
        assert f"<!-- {name} -->" in text
    for line in ("one-method", "other-method", "floor (noise of the gold)"):
        assert text.count(f"<!-- {line} -->") == 1


def test_few_sizes_are_the_ticks(tmp_path: Path) -> None:
    text = drawn([Panel("t", summary([500, 3500]), "macro_mse")], tmp_path / "ticks.svg")
    assert "<!-- 3,500 -->" in text


def test_one_size_draws_bars_that_name_it(tmp_path: Path) -> None:
    text = drawn([Panel("t", summary([2000], sd=1.0, seeds=3), "macro_mse")], tmp_path / "b.svg")
    assert "at 2,000 labels" in text
    assert "<!-- other-method -->" in text


def test_errors_of_a_wide_range_stand_on_a_logarithmic_axis(tmp_path: Path) -> None:
    wide = summary([500, 1000]).with_columns(macro_mse=pl.Series([50.0, 40.0, 3.0, 2.0]))
    text = drawn([Panel("t", wide, "macro_mse")], tmp_path / "wide.svg")
    assert "<!-- 20 -->" in text
    assert "<!-- 0.0 -->" not in text
    assert "<!-- 0.0 -->" in drawn(
        [Panel("t", summary([500, 1000]), "macro_mse")], tmp_path / "narrow.svg"
    )


Drawn = list[tuple[list[Panel], str, Path]]


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """What would be drawn."""
    found: Drawn = []
    monkeypatch.setattr(curves, "draw_curves", lambda *figure: found.append(figure))
    return found


def methods_of(tasks: int, *methods: str) -> pl.DataFrame:
    return pl.DataFrame(
        [{"task": f"task-{k}", "method": method} for k in range(tasks) for method in methods]
    )


def test_estimation_draws_the_worst_arms_and_all_arms(figures: Drawn, tmp_path: Path) -> None:
    paths = draw_experiment(
        "estimation", methods_of(2, "constant"), frozenset({"task-1"}), tmp_path
    )
    assert [path.name for path in paths] == ["estimation-worst.png", "estimation-macro.png"]
    assert [panel.metric for panel in figures[0][0]] == ["worst_mse"] * 2
    assert [panel.title for panel in figures[0][0]] == ["task-0 (exact)", "task-1 (guessed)"]


def test_one_task_has_both_errors_in_one_figure(figures: Drawn, tmp_path: Path) -> None:
    (path,) = draw_experiment("larger-space", methods_of(1, "constant"), frozenset(), tmp_path)
    assert path.name == "larger-space.png"
    assert [panel.metric for panel in figures[0][0]] == ["worst_mse", "macro_mse"]


def test_the_other_experiments_draw_macro_error(figures: Drawn, tmp_path: Path) -> None:
    (path,) = draw_experiment("exploration", methods_of(2, "constant"), frozenset(), tmp_path)
    assert path.name == "exploration.png"
    assert {panel.metric for panel in figures[0][0]} == {"macro_mse"}


def test_peers_have_a_figure_of_their_own_where_methods_are_many(
    figures: Drawn, tmp_path: Path
) -> None:
    many = [f"made-{k}" for k in range(9)]
    draw_experiment(
        "exploration", methods_of(2, *many, "shrinkage", "anova-gp"), frozenset(), tmp_path
    )
    shown = [set(panels[0].summary["method"]) for panels, _, _ in figures]
    assert shown == [{*many, "anova-gp"}, {"shrinkage", "anova-gp"}]
