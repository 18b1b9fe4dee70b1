"""Uniform sampling: every instance is as likely as any other.

The name that users type is ``random``; the module is called otherwise so that it cannot be taken
for the standard library's.
"""

from dataclasses import dataclass

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Candidates, Picks
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Random"]


@dataclass(frozen=True, slots=True)
class Random:
    """Choose instances uniformly without replacement."""

    @property
    def is_random(self) -> bool:
        """Every instance is as likely as any other."""
        return True

    @property
    def is_counting(self) -> bool:
        """A candidate may stand for several instances."""
        return True

    def choose(
        self,
        surface: AccuracySurface,
        candidates: Candidates,
        n: int,
        rng: np.random.Generator,
    ) -> Picks:
        """Return ``n`` uniform candidates.

        Each takes one number from ``rng``, so that a generator draws the same instances one after
        the other, whatever the size of a batch: methods that are compared share their labels.
        """
        total = int(candidates.n_left.sum())
        count = min(n, total)
        positions, rank = _draw(total, rng.random(count)), None
        chance = 1.0 / (total - np.arange(count))
        if candidates.count is not None:
            positions, rank = _within(candidates.n_left, positions)
        is_random = np.ones(count, dtype=bool)
        return Picks(positions, chance, ("at random",) * count, chance, rank, is_random)


def _within(n_left: IntArray, drawn: IntArray) -> tuple[IntArray, IntArray]:
    """Return the candidates that stand for the drawn instances, and their ranks in them."""
    ends = np.cumsum(n_left)
    positions = np.searchsorted(ends, drawn, side="right")
    # Of the instances that a candidate stands for, those drawn before are gone.
    is_gone = np.tril((drawn[:, None] > drawn) & (positions[:, None] == positions), -1)
    return positions, drawn - (ends - n_left)[positions] - is_gone.sum(axis=1)


def _draw(total: int, share: FloatArray) -> IntArray:
    """Return positions among ``total``, each the given share of the way through those left."""
    positions = np.empty(share.size, dtype=np.int64)
    passed = np.zeros(0, dtype=np.int64)  # of each position taken, in order: how many left precede
    for i, u in enumerate(share):
        place = int(u * (total - i))
        before = int(np.searchsorted(passed, place, side="right"))
        positions[i] = place + before
        passed = np.concatenate([passed[:before], [place], passed[before:] - 1])
    return positions
