"""A pool that people label, some of them wrongly, and an assay of it."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.storage.memory import MemoryStore

N = 120
CHOICES = ("cat", "cow", "dog")


def make_pool() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(CHOICES, N)
    light = rng.choice(["day", "night"], N)
    is_right = rng.random(N) < np.where(light == "day", 0.95, 0.75)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N)],
            "light": light,
            "pred": np.where(is_right, truth, np.roll(truth, 1)),
            "truth": truth,
        }
    )


POOL = make_pool()
TRUTH = dict(zip(POOL["id"], POOL["truth"], strict=True))


def make_assay(estimator: str = "beta-independent", **label: object) -> aa.Assay:
    spec = {
        "assay": {"name": "crowd", "estimator": estimator},
        "attribute": [{"name": "light"}],
        "service": [{"name": "acme", "column": "pred"}],
        "label": {"choices": CHOICES, **label},
    }
    return aa.Assay.create(MemoryStore(), spec, pool=POOL)


def answers(ids: Sequence[str], right: float, seed: int) -> list[str]:
    """Answers of which a share is right; one third is what a guesser has."""
    rng = np.random.default_rng(seed)
    others = {i: [c for c in CHOICES if c != TRUTH[i]] for i in ids}
    return [TRUTH[i] if rng.random() < right else str(rng.choice(others[i])) for i in ids]


def told(assay: aa.Assay, people: Mapping[str, tuple[Sequence[str], float]]) -> aa.AccuracySurface:
    for seed, (who, (ids, right)) in enumerate(people.items()):
        assay.tell(ids, answers(ids, right, seed), who)
    return assay.surface()
