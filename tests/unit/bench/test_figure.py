from pathlib import Path

import polars as pl

from accuracy_assay.bench.figure import draw_curves


def test_one_seed_draws_without_a_band(tmp_path: Path) -> None:
    summary = pl.DataFrame(
        {
            "method": ["a", "a", "b", "b"],
            "labels": [500, 1000, 500, 1000],
            "macro_mse": [3.0, 2.0, 4.0, 1.0],
            "macro_mse_sd": pl.Series([None] * 4, dtype=pl.Float64),
            "floor_mse": [0.5] * 4,
        }
    )
    draw_curves(summary, "a title", tmp_path / "new" / "figure.svg")
    text = (tmp_path / "new" / "figure.svg").read_text()
    assert "<svg" in text
