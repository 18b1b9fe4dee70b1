"""Largest variance: the paper's rule (section 3.4, algorithm 1).

Arms are visited by decreasing posterior variance, each at most once per round; for each the
unlabelled instance with the highest affiliation P(a|x) is chosen. Arms without any candidate are
passed over. When a round has more picks than arms, it starts over with the most uncertain one. An
arm with labels on their way counts as visited that often.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Candidates, Picks
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
    ) -> Picks:
        """Return one candidate for each of the ``n`` most uncertain arms that have one."""
        arms = candidates.over_arms()
        arm, row = arms.affiliation.indices, arms.affiliation.row_index
        # Within an arm the heaviest entry comes first; equal weights come in random order.
        tie = rng.random(candidates.instances.size)[row]
        order = np.lexsort((tie, -arms.affiliation.weights, arm))
        starts = np.flatnonzero(np.diff(arm[order], prepend=-1))
        available = arm[order][starts]
        ends = np.append(starts[1:], order.size)
        sd = surface.sd[np.searchsorted(surface.arms, available)]
        waiting = arms.pending.argmax()
        queue = [
            _Queue(
                int(available[i]),
                row[order[starts[i] : ends[i]]],
                int(np.count_nonzero(waiting == available[i])),
            )
            for i in np.argsort(-sd, kind="stable")
        ]
        return _take_in_turn(queue, n)


class _Queue(NamedTuple):
    """The candidates of one arm, heaviest first, and how often it was visited before."""

    arm: int
    rows: IntArray
    n_visits: int


def _take_in_turn(queues: list[_Queue], n: int) -> Picks:
    taken: dict[int, int] = {}
    cursor = [0] * len(queues)
    turn = min((queue.n_visits for queue in queues), default=0)
    left = sum(queue.rows.size for queue in queues)
    while len(taken) < n and left:
        left = 0
        for i, queue in enumerate(queues):
            while cursor[i] < queue.rows.size and int(queue.rows[cursor[i]]) in taken:
                cursor[i] += 1
            left += queue.rows.size - cursor[i]
            if cursor[i] < queue.rows.size and queue.n_visits <= turn:
                taken[int(queue.rows[cursor[i]])] = queue.arm
            if len(taken) == n:
                break
        turn += 1
    reasons = tuple(f"arm {arm} has the largest variance" for arm in taken.values())
    return Picks(np.fromiter(taken, dtype=np.int64), np.ones(len(taken)), reasons)
