"""Eight services of different skill that find the same topics and the same rows hard."""

import numpy as np
import polars as pl

import accuracy_assay as aa

NAMES = [f"m{i}" for i in range(8)]


def made_rows(rng: np.random.Generator, n_rows: int = 2_000) -> pl.DataFrame:
    """Eight services of different skill that find the same topics and the same rows hard."""
    topic, form = rng.integers(0, 8, n_rows), rng.integers(0, 2, n_rows)
    hard = rng.normal(0.0, 1.0, 8)[topic] + rng.normal(0.0, 1.0, n_rows)
    skill = np.linspace(-1.0, 1.0, 8)
    own = rng.normal(0.0, 0.3, (8, 8))
    chance = 1.0 / (1.0 + np.exp(-(skill + hard[:, None] + own[topic])))
    truth = rng.integers(0, 4, n_rows)
    right = rng.random((n_rows, 8)) < chance
    said = np.where(right, truth[:, None], (truth[:, None] + rng.integers(1, 4, right.shape)) % 4)
    return pl.DataFrame(
        {
            "topic": [f"t{t}" for t in topic],
            "form": np.array(["open", "choice"])[form],
            "truth": truth,
            **{name: said[:, i] for i, name in enumerate(NAMES)},
            **{f"{name}_score": right[:, i].astype(float) for i, name in enumerate(NAMES)},
        }
    )


def by_answers(rows: pl.DataFrame, pool: pl.DataFrame, **options: object) -> aa.Comparison:
    return aa.compare(
        rows,
        ["topic", "form"],
        services=NAMES,
        y_true="truth",
        pool=pool.drop("truth"),
        **options,  # type: ignore[arg-type]
    )


def by_scores(rows: pl.DataFrame, pool: pl.DataFrame, **options: object) -> aa.Comparison:
    scores = {name: f"{name}_score" for name in NAMES}
    pool = pool.select("topic", "form")
    return aa.compare(rows, ["topic", "form"], scores=scores, pool=pool, **options)  # type: ignore[arg-type]
