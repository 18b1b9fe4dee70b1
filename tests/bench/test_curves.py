"""Curves of error: a panel per task, bands of one standard error."""

from pathlib import Path

import polars as pl
import pytest

from assay_bench.curves import Panel, draw_curves, standard_error


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
