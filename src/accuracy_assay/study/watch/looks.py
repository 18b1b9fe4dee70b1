"""What every look sees: labels counted in blocks, and the evidence of each slice after them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.numerics.watching.bets import level_counts, score_levels, unstarted
from accuracy_assay.numerics.watching.closed_testing import least_evidence
from accuracy_assay.numerics.watching.evidence import log_evidence
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.watch.mix import Kinds
from accuracy_assay.study.watch.slices import WatchedSlice
from accuracy_assay.study.watch.stream import Stream

__all__ = ["Looks", "Side"]

_SCALE = 1000.0
"""Labels after the baseline within which half of the bets begin. In made worlds, with a loss after
1,500 labels, 500 found 5 points fewer of the losses of a third and 2,000 as many."""
_ON_VERSIONS = 0.25
"""Share of the bets that begin with new versions, where they are known: half of it with the first
after the baseline, a sixth with the second, and so on. The others lose 0.3 nats by it."""
_PER_DOUBLING = 128
"""Looks by default while the number of later labels doubles, after one at each of the first 256.
A loss is heard a hundredth of the time since the baseline late, and 1,000,000 labels take 1,800
looks."""
_MOST_LOG = 600.0


@dataclass(frozen=True, eq=False)
class Side:
    """Evidence of losses, or of gains.

    Parameters
    ----------
    evidence
        Evidence that anything was lost, after each look, (T,).
    named
        Evidence that it was this slice, (S, T).
    own
        Evidence of each slice alone, (S, T).
    """

    evidence: FloatArray
    named: FloatArray
    own: FloatArray

    @classmethod
    def of(cls, logs: FloatArray, weights: FloatArray) -> Side:
        """Return what the logs of the evidence of each slice, (S, T), say together."""
        own = np.exp(np.minimum(logs, _MOST_LOG))
        return cls(weights @ own, least_evidence(logs, weights), own)


@dataclass(frozen=True, eq=False)
class Looks:
    """The labels after the baseline in blocks, one look after each.

    Parameters
    ----------
    stream
        The labels.
    ends
        How many later labels each look has seen, (T,).
    until
        How many the last look will have seen once it is whole. Bets begin with a look, so their
        shares must not depend on how many labels there are by now.
    """

    stream: Stream
    ends: IntArray
    until: int

    @classmethod
    def every(cls, stream: Stream, labels: int | None) -> Looks:
        """Return looks after every so many labels, by default ever fewer as they become many.

        When they are depends on nothing but ``labels``: a table that grows is looked at as before.
        """
        n = stream.n_later
        planned = _rarer_and_rarer(n) if labels is None else np.arange(1, n // labels + 2) * labels
        return cls(stream, np.append(planned[planned < n], n), int(planned[planned >= n][0]))

    @property
    def step(self) -> int:
        """Labels between two looks."""
        return int(self.ends[0])

    def time_of(self, label: int) -> object:
        """Return the time of a label after the baseline, by its number from 0."""
        return self.stream.times[self.stream.n_baseline + label]

    def rights(self, which: WatchedSlice) -> tuple[FloatArray, FloatArray]:
        """Return the right and wrong answers of a slice: the baseline's, (2,), and (T, 2)."""
        baseline, blocks = self._counts(which, np.array([0.0, 1.0]))
        return baseline[::-1], blocks[:, ::-1]

    def log_evidence(
        self,
        slices: tuple[WatchedSlice, ...],
        tolerance: float,
        *,
        gain: bool,
        kinds: Kinds | None = None,
    ) -> FloatArray:
        """Return the log evidence that each slice lost more than is tolerated, or gained, (S, T).

        With ``kinds``, of what the mix of rows does not explain.
        """
        levels = score_levels(self.stream.scores)
        angles = None if kinds is None else kinds.angles
        if gain and angles is not None:
            angles = np.pi / 2.0 - angles
        logs = np.zeros((len(slices), self.ends.size))
        for i, each in enumerate(slices):
            counts = self._counts(each, levels, kinds)
            if gain:  # a gain is a loss of wrong answers
                counts = counts[0][..., ::-1], counts[1][..., ::-1]
            logs[i] = _evidence(*counts, levels, self._started, tolerance, angles)
        return logs

    @cached_property
    def _started(self) -> FloatArray:
        """Share of the bets that begin before each look: more of them with a new version."""
        planned = np.append(self.ends[:-1], self.until).astype(np.float64)
        left = np.concatenate([[1.0], unstarted(planned, _SCALE)])
        started = left[:-1] - left[1:]
        first = [at - self.stream.n_baseline for _, at in self.stream.began]
        new = np.searchsorted(self.ends, [at for at in first if at >= 0], side="right")
        if self.stream.versions is not None:
            started *= 1.0 - _ON_VERSIONS
        for k, look in enumerate(new.tolist(), 1):
            started[look] += _ON_VERSIONS / (k * (k + 1))
        return np.asarray(started)

    def _counts(
        self, which: WatchedSlice, levels: FloatArray, kinds: Kinds | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the labels of a slice by level: of the baseline, (L,), and by block, (T, L).

        With ``kinds``, by kind and level: (G, L) and (T, G, L).
        """
        n, n_blocks = self.stream.n_baseline, self.ends.size
        at = np.flatnonzero(which.holds(self.stream.codes))
        n_kinds = 1 if kinds is None else kinds.angles.size
        kind = np.zeros(at.size, np.int64) if kinds is None else kinds.of[at]
        # Block 0 is the baseline.
        block = np.where(at < n, 0, 1 + np.searchsorted(self.ends, at - n, side="right"))
        cell, size = block * n_kinds + kind, (n_blocks + 1) * n_kinds
        shares = level_counts(self.stream.scores[at], levels)
        by_level = [np.bincount(cell, column, minlength=size) for column in shares.T]
        counts: FloatArray = np.stack(by_level, axis=-1).astype(np.float64)
        found = counts.reshape(n_blocks + 1, *(() if kinds is None else (n_kinds,)), levels.size)
        return found[0], found[1:]


def _rarer_and_rarer(n: int) -> IntArray:
    """Return after how many labels to look, up to n or beyond."""
    found, step = np.arange(1, 2 * _PER_DOUBLING + 1), 1
    while found[-1] < n:
        step *= 2
        more = found[-1] + step * np.arange(1, _PER_DOUBLING + 1)
        found = np.concatenate([found, more])
    return found


def _evidence(
    baseline: FloatArray,
    blocks: FloatArray,
    levels: FloatArray,
    started: FloatArray,
    tolerance: float,
    angles: FloatArray | None,
) -> FloatArray:
    """Return the log evidence of a slice after every look, (T,).

    Between its own labels nothing happens: bets that begin there are as good as unbegun.
    """
    own = np.flatnonzero(blocks.any(axis=tuple(range(1, blocks.ndim))))

    def log_of(counts: FloatArray, begun: FloatArray) -> FloatArray:
        return log_evidence(baseline, counts, levels, begun, tolerance, angles)

    found = log_of(np.zeros_like(blocks[:1]), np.ones(1))
    if own.size:
        begun = np.diff(np.cumsum(started)[own], prepend=0.0)
        found = np.concatenate([found, log_of(blocks[own], begun)])
    return found[np.searchsorted(own, np.arange(started.size), side="right")]
