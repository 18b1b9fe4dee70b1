"""Labels for an average: rows drawn by chance, those whose scores are less sure more often.

Notation: row i adds the deviation s_i to the average. Draws in proportion to s_i leave the average
the least variance that draws can (Neyman, "On the two different aspects of the representative
method", 1934). s_i is what a model believes, so no row that counts has less than a part of the
largest chance. A greedy choice by the model's variance would be narrower, but it relies on what
the model takes from rows that it is unsure of to those that it is sure of: its intervals of the
overall accuracy held in 25 of 34 replays, those of drawn rows in 37 of 44 and those of random rows
in 30 of 35
(docs/how-to/choose-labels-for-what-you-ask.md).
"""

import numpy as np

from accuracy_assay.protocols import Picks
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["draw_rows"]

_LEAST_PULL = 0.2
"""Share of the strongest pull that every row has which counts at all: a score that is right in 99
of 100 cases has a fifth of the deviation of a coin."""


def draw_rows(
    pull: FloatArray, n_left: IntArray, n: int, random_share: float, rng: np.random.Generator
) -> Picks:
    """Draw ``n`` rows without replacement, each in proportion to its pull.

    Parameters
    ----------
    pull
        What a row of each candidate adds to the average, (n,); 0 for one that does not count.
    n_left
        How many rows each candidate stands for, (n,); it is used up.
    random_share
        Share of draws that are uniform.
    """
    pull = np.where(pull > 0.0, np.maximum(pull, _LEAST_PULL * pull.max(initial=0.0)), 0.0)
    picks = []
    for _ in range(n):
        total, uniform = float(pull @ n_left), random_share
        if total <= 0.0:  # nothing that counts is left
            uniform = 1.0
        chance = np.full(pull.size, uniform / n_left.sum())
        if uniform < 1.0:
            chance += (1.0 - uniform) / total * pull
        is_uniform = rng.random() < uniform
        ends = np.cumsum(n_left * (1.0 if is_uniform else pull))
        position = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
        position = min(position, int(np.flatnonzero(n_left)[-1]))  # rounding at the very end
        rank = int(rng.integers(0, n_left[position]))
        reason = "at random" if is_uniform else "drawn for the average, by how unsure its score is"
        least = float(chance[n_left > 0].min())
        picks.append((position, float(chance[position]), reason, least, rank, is_uniform))
        n_left[position] -= 1
    positions, chances, reasons, least_chances, ranks, uniform_draws = zip(*picks, strict=True)
    return Picks(
        np.asarray(positions),
        np.asarray(chances),
        tuple(reasons),
        np.asarray(least_chances),
        np.asarray(ranks),
        np.asarray(uniform_draws),
    )
