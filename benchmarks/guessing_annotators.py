"""A session in which a third of the annotators guess, against one of honest ones.

Bar: it reaches the error of the honest session with at most 1.5 times their answers. A made pool;
six people, who are right in 95% of the easy items and in 60% of the hard ones (one in ten), answer
in turn. Prints the error of the overall accuracy, and the root mean squared error over arms, in
points, of the honest session with N answers and of the other with N and with 1.5 N.

    python benchmarks/guessing_annotators.py [draws] [N]
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.storage.memory import MemoryStore

CHOICES = ("cat", "cow", "dog")
PEOPLE = ("ann", "bob", "cem", "dee", "eve", "fay")
ROWS, KNOWN = 3_000, 60


def make_world(rng: np.random.Generator) -> pl.DataFrame:
    truth = rng.choice(CHOICES, ROWS)
    light, size = rng.choice(["day", "night"], ROWS), rng.choice(["s", "m", "l", "xl"], ROWS)
    rate = np.where(light == "day", 0.93, 0.78) - 0.06 * (size == "xl")
    is_right = rng.random(ROWS) < rate
    code = np.searchsorted(CHOICES, truth)
    shift = np.asarray(CHOICES)[(code + rng.integers(1, 3, ROWS)) % 3]
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(ROWS)],
            "light": light,
            "size": size,
            "pred": np.where(is_right, truth, shift),
            "truth": truth,
            "hard": rng.random(ROWS) < 0.1,
        }
    )


def play(
    world: pl.DataFrame, n_guessers: int, label: dict[str, object], stops: list[int], seed: int
) -> tuple[dict[int, tuple[float, float]], frozenset[str]]:
    """Return errors (overall, arms) in points after some numbers of answers, and who is named."""
    rng = np.random.default_rng([seed, n_guessers])
    known = {i: (t, h) for i, t, h in world.select("id", "truth", "hard").iter_rows()}
    seed_set = world.sample(KNOWN, seed=seed).rename({"truth": "label"}).drop("hard")
    spec = {
        "assay": {"name": "bench", "budget": stops[-1], "batch": 10, "refit_every": 60},
        "attribute": [{"name": "light"}, {"name": "size"}],
        "service": [{"name": "acme", "column": "pred"}],
        "label": {"choices": CHOICES, **label},
    }
    seeds = seed_set if label.get("checks") else None
    assay = aa.Assay.create(MemoryStore(), spec, pool=world.drop("truth", "hard"), seed_set=seeds)
    is_right = (world["pred"] == world["truth"]).to_numpy()
    arms = world.select("light", "size").with_columns(right=is_right)
    gold = arms.group_by("light", "size").agg(pl.col("right").mean())
    found, turn, idle = {}, 0, 0
    while stops and idle < len(PEOPLE):
        who = PEOPLE[turn % len(PEOPLE)]
        left = stops[0] - assay.status().answers
        ids = assay.ask(min(10, left), annotator=who)["id"].to_list()
        idle = 0 if ids else idle + 1
        said = []
        for i in ids:
            truth, hard = known[i]
            right = rng.random() < (0.6 if hard else 0.95)
            if turn % len(PEOPLE) < n_guessers:
                said.append(str(rng.choice(CHOICES)))
            else:
                said.append(
                    truth if right else str(rng.choice([c for c in CHOICES if c != truth]))
                )
        if ids:
            assay.tell(ids, said, who)
        turn += 1
        if assay.status().answers >= stops[0]:
            surface = assay.surface()
            mean = {
                tuple(r[:2]): r[2]
                for r in surface.to_frame().select("light", "size", "mean").iter_rows()
            }
            gaps = [mean[a, b] - t for a, b, t in gold.iter_rows()]
            overall = abs(surface.overall.mean - is_right.mean())
            found[stops.pop(0)] = (100 * overall, 100 * float(np.sqrt(np.mean(np.square(gaps)))))
    crowd = assay.session.parts().snapshots.recent_crowd(assay.session.journal.ledger)
    return found, frozenset() if crowd is None else crowd.guessers


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    kinds: dict[str, dict[str, object]] = {
        "checks 0.1": {"checks": 0.1},
        "overlap 0.15": {"overlap": 0.15},
        "two answers each": {"annotators": 2},
    }
    for name, label in kinds.items():
        honest, fooled, named = [], [], []
        for seed in range(draws):
            world = make_world(np.random.default_rng(seed))
            honest.append(play(world, 0, label, [n], seed)[0][n])
            found, who = play(world, 2, label, [n, n + n // 2], seed)
            fooled.append([*found[n], *found[n + n // 2]])
            named.append((len(who & set(PEOPLE[:2])), len(who - set(PEOPLE[:2]))))
        one, two = np.mean(honest, axis=0), np.mean(fooled, axis=0)
        right, wrong = np.mean(named, axis=0)
        print(
            f"{name:18} honest, {n}: {one[0]:.2f} overall, {one[1]:.2f} arms | a third guesses, "
            f"{n}: {two[0]:.2f}, {two[1]:.2f}; {n + n // 2}: {two[2]:.2f}, {two[3]:.2f} | "
            f"named {right:.1f} of 2 guessers, {wrong:.1f} others",
            flush=True,
        )


if __name__ == "__main__":
    main()
