"""Texts about three things, for tests of what is derived from texts."""

import numpy as np
import polars as pl

_WORDS = {
    "sea": "ship sail harbour wave captain anchor storm rope deck coast",
    "kitchen": "bread butter oven sugar flour kettle spoon dough honey plate",
    "court": "judge jury lawyer trial verdict witness prison crime guilt bail",
}
SUBJECTS = {subject: words.split() for subject, words in _WORDS.items()}


def make_texts(n_rows: int = 120, seed: int = 0) -> tuple[pl.Series, list[str]]:
    """Return texts of six words and what each is about."""
    rng = np.random.default_rng(seed)
    about = rng.choice(list(SUBJECTS), n_rows).tolist()
    texts = [" ".join(["the", *rng.choice(SUBJECTS[subject], 5)]) for subject in about]
    return pl.Series("said", texts), about
