"""A world with one weak slice that no attribute alone explains, and a flat one."""

import numpy as np
import polars as pl

__all__ = ["ATTRIBUTES", "PLANTED", "flat_rows", "planted_rows"]

ATTRIBUTES = ["accent", "digit", "age"]
PLANTED = {"accent": "german", "digit": 3}
_ROWS = 6_000


def planted_rows(seed: int = 0) -> pl.DataFrame:
    """Return rows that are right in 88%, in the planted slice in 42%."""
    return _rows(seed, drop=2.3)


def flat_rows(seed: int = 0) -> pl.DataFrame:
    """Return rows that are right in 88%, wherever they are."""
    return _rows(seed, drop=0.0)


def _rows(seed: int, drop: float) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    accent = rng.choice(["german", "french", "scots", "dutch"], _ROWS)
    digit = rng.integers(0, 5, _ROWS)
    age = rng.choice(["young", "middle", "old"], _ROWS)
    inside = (accent == PLANTED["accent"]) & (digit == PLANTED["digit"])
    right = rng.random(_ROWS) < 1.0 / (1.0 + np.exp(-2.0 + drop * inside))
    return pl.DataFrame(
        {"accent": accent, "digit": digit, "age": age, "correct": right.astype(int)}
    )
