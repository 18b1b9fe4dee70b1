"""A data folder with a table like frank, small and made."""

from pathlib import Path

import numpy as np
import polars as pl


def frank_like(folder: Path) -> Path:
    """A table like frank: one honest metric, and one on another scale."""
    rng = np.random.default_rng(0)
    n = 900
    people = (rng.random(n) < 0.6).astype(float)
    rows = pl.DataFrame(
        {
            "document": rng.integers(0, 300, n),
            "model_name": rng.choice(["a", "b", "c"], n),
            "dataset": rng.choice(["x", "y"], n),
            "split": "test",
            "human_factuality": people,
            "honest": np.clip(0.2 + 0.65 * people + rng.normal(0.0, 0.25, n), 0.0, 1.0),
            "wide": 5.0 * people,
        }
    )
    (folder / "frank").mkdir()
    rows.write_parquet(folder / "frank" / "pool.parquet")
    return folder
