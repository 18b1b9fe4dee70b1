"""The study of watching over time, at a size that takes seconds."""

from pathlib import Path

import numpy as np
import polars as pl

from assay_bench.over_time import OVER_TIME


def test_a_draw_watches_every_world_both_ways(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    (tmp_path / "audiomnist").mkdir()
    digit = rng.integers(0, 10, 2000)
    rows = {"digit": digit, "gender": rng.choice(["f", "m"], 2000), "google_pred": digit}
    pl.DataFrame(rows).write_parquet(tmp_path / "audiomnist/pool.parquet")
    draws = OVER_TIME.draw(tmp_path, 1, (600,), None)
    assert draws["world"].n_unique() == 5
    assert draws.filter(world="audiomnist").select("early", "by_hand_early").row(0) == (
        False,
        False,
    )
    found = draws.filter("found")
    assert (found["delay"] > 0).all()
    assert draws.filter(~pl.col("found"))["delay"].null_count() == draws.height - found.height
    (table,) = OVER_TIME.summarise(draws).values()
    assert table.height == draws.height
