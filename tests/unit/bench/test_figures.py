from pathlib import Path

import polars as pl

from accuracy_assay.bench.figures import draw_coverage, draw_curves, draw_quantiles, draw_scales


def summary(sizes: list[int]) -> pl.DataFrame:
    """One seed of two methods: the deviation is missing."""
    n = 2 * len(sizes)
    return pl.DataFrame(
        {
            "method": ["one-method"] * len(sizes) + ["other-method"] * len(sizes),
            "labels": sizes * 2,
            "macro_mse": [1.0 + k for k in range(n)],
            "macro_mse_sd": pl.Series([None] * n, dtype=pl.Float64),
            "floor_mse": [0.5] * n,
        }
    )


def test_one_seed_draws_without_a_band(tmp_path: Path) -> None:
    draw_curves(summary([500, 1000]), "a title", tmp_path / "new" / "figure.svg")
    text = (tmp_path / "new" / "figure.svg").read_text()
    assert "<svg" in text
    assert "macro MSE x 100 -->" in text


def test_one_size_draws_bars_that_name_it(tmp_path: Path) -> None:
    draw_curves(summary([2000]), "a title", tmp_path / "bars.svg")
    assert "at 2,000 labels" in (tmp_path / "bars.svg").read_text()


def test_every_task_has_a_line_of_quantiles(tmp_path: Path) -> None:
    quantiles = {"one-task": {0.0: 0.2, 1.0: 0.9}, "other-task": {0.0: 0.1, 1.0: 1.0}}
    draw_quantiles(quantiles, {"one-task": 0.7, "other-task": 0.8}, tmp_path / "q.svg")
    text = (tmp_path / "q.svg").read_text()
    assert all(f"<!-- {task} -->" in text for task in quantiles)


def test_every_method_has_a_line_of_scales(tmp_path: Path) -> None:
    scales = {"one-method": (1.0, 2.0, 3.0), "other-method": (3.0, 2.0, 1.0)}
    draw_scales(scales, (1.0, 20.0, 1.0), tmp_path / "s.svg")
    text = (tmp_path / "s.svg").read_text()
    assert all(f"<!-- {method} -->" in text for method in scales)


def test_every_task_has_a_panel_of_coverage_and_every_method_a_line(tmp_path: Path) -> None:
    tasks = [f"task-{k}" for k in range(4)]
    shares = pl.concat(
        [
            summary([30, 100])
            .select("method", "labels")
            .with_columns(task=pl.lit(task), arms_90=90.0)
            for task in tasks
        ]
    )
    draw_coverage(shares, tmp_path / "c.svg")
    text = (tmp_path / "c.svg").read_text()
    assert all(f"<!-- {task} -->" in text for task in tasks)
    assert all(f"<!-- {method} -->" in text for method in ("one-method", "other-method"))
