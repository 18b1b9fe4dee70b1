"""A made world whose judge repeats people but for some rows, and is lenient on one topic."""

import numpy as np
import polars as pl

TOPICS = ("art", "code", "food", "law")


def certified_world(
    rng: np.random.Generator, n: int = 2_000, labels: int = 500, leniency: float = 0.8
) -> pl.DataFrame:
    """Return rows: id, topic, length, bot, llm (0 or 1), right (null without a label), truth.

    People pass 70%. The judge draws a tenth of its verdicts anew, and passes so many answers about
    law whatever they are: at 0.8 it is 24 points lenient there.
    """
    topic = rng.choice(TOPICS, n)
    right = rng.random(n) < 0.7
    llm = np.where(rng.random(n) < 0.1, rng.random(n) < 0.7, right)
    llm = llm | ((topic == "law") & (rng.random(n) < leniency))
    labelled = pl.Series([float(r) if i < labels else None for i, r in enumerate(right)])
    return pl.DataFrame(
        {
            "id": [f"q{i}" for i in range(n)],
            "topic": topic,
            "length": rng.choice(["long", "short"], n),
            "bot": rng.choice(["acme", "bolt"], n),
            "llm": llm.astype(float),
            "right": labelled,
            "truth": right.astype(float),
        }
    )
