"""Largest variance: the paper's rule (section 3.4, algorithm 1).

Arms are visited by decreasing posterior variance, each at most once per round; for each the
unlabelled instance with the highest affiliation P(a|x) is chosen. Arms without any candidate are
passed over. When a round has more picks than arms, it starts over with the most uncertain one.
"""

from dataclasses import dataclass

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Candidates, Choice
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["LargestVariance"]


@dataclass(frozen=True, slots=True)
class LargestVariance:
    """Choose one instance for each of the most uncertain arms."""

    @property
    def is_random(self) -> bool:
        """The surface guides the choice."""
        return False

    def choose(
        self,
        surface: AccuracySurface,
        candidates: Candidates,
        n: int,
        rng: np.random.Generator,
    ) -> Choice:
        """Return one candidate for each of the ``n`` most uncertain arms that have one."""
        arm = candidates.affiliation.indices // candidates.n_strata
        row, weight = candidates.affiliation.row_index, candidates.affiliation.weights
        # Within an arm the heaviest entry comes first; equal weights come in random order.
        tie = rng.random(candidates.instances.size)[row]
        order = np.lexsort((tie, -weight, arm))
        starts = np.flatnonzero(np.diff(arm[order], prepend=-1))
        available = arm[order][starts]
        ends = np.append(starts[1:], order.size)
        sd = surface.sd[np.searchsorted(surface.arms, available)]
        queue = [
            (int(available[i]), row[order[starts[i] : ends[i]]])
            for i in np.argsort(-sd, kind="stable")
        ]
        return _take_in_turn(queue, n)


def _take_in_turn(queue: list[tuple[int, IntArray]], n: int) -> Choice:
    taken: dict[int, int] = {}
    cursor = [0] * len(queue)
    progress = True
    while len(taken) < n and progress:
        progress = False
        for i, (arm, rows) in enumerate(queue):
            while cursor[i] < rows.size and int(rows[cursor[i]]) in taken:
                cursor[i] += 1
            if cursor[i] < rows.size:
                taken[int(rows[cursor[i]])] = arm
                progress = True
            if len(taken) == n:
                break
    reasons = tuple(f"arm {arm} has the largest variance" for arm in taken.values())
    return Choice(np.fromiter(taken, dtype=np.int64), np.ones(len(taken)), reasons)
