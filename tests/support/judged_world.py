"""A made world with a judge: honest, or lenient in one arm."""

import numpy as np
import polars as pl

LENIENT_ON = {"length": "long", "topic": "code"}


def make_world(
    seed: int, n_labels: int, *, leniency: float = 0.0, n_rows: int = 4_000
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a pool, and those of its rows that are labelled with whether the answer is right.

    The judge's score is the chance that the answer is right, so it is honest, but where it is
    lenient: there the log-odds are larger by ``leniency``.
    """
    rng = np.random.default_rng(seed)
    length = rng.choice(["long", "short"], n_rows, p=[0.4, 0.6])
    topic = rng.choice(["art", "code", "food", "law"], n_rows)
    logit = 1.4 - 0.8 * (topic == "law") - 0.5 * (length == "long")
    logit = logit + rng.normal(0.0, 1.5, n_rows)
    right = rng.random(n_rows) < 1.0 / (1.0 + np.exp(-logit))
    there = (length == LENIENT_ON["length"]) & (topic == LENIENT_ON["topic"])
    score = 1.0 / (1.0 + np.exp(-logit - leniency * there))
    pool = pl.DataFrame({"length": length, "topic": topic, "score": score.round(3)})
    rows = rng.permutation(n_rows)[:n_labels]
    return pool, pool[rows].with_columns(right=pl.Series(right[rows].astype(float)))
