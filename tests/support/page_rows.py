"""Rows of a small assay behind a page: cats and dogs, with a picture each."""

import numpy as np
import polars as pl

__all__ = ["PNG", "make_pool"]

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20


def make_pool(n_rows: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], n_rows)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
            "text": [f"<script>alert({i})</script>" for i in range(n_rows)],
            "picture": [PNG] * n_rows,
            "guess": np.where(rng.random(n_rows) < 0.8, truth, "cat"),
            "truth": truth,
        }
    )
