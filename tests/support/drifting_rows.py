"""A service that loses accuracy in one slice from one day on."""

import numpy as np
import polars as pl


def drifting_rows(
    seed: int = 0,
    *,
    n: int = 3000,
    lost: float = 0.4,
    where: str = "north",
    days: int = 30,
    from_day: int = 20,
) -> pl.DataFrame:
    """Return rows of ``days`` days with columns day, region, sex and right."""
    rng = np.random.default_rng(seed)
    day = np.sort(rng.integers(0, days, n))
    region = rng.choice(["north", "south", "east", "west"], n)
    rate = np.where((day >= from_day) & (region == where), 0.8 - lost, 0.8)
    return pl.DataFrame(
        {
            "day": day,
            "region": region,
            "sex": rng.choice(["F", "M"], n),
            "right": (rng.random(n) < rate).astype(int),
        }
    )
