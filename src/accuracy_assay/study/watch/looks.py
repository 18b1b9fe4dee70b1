"""What every look sees: labels counted in blocks, and the evidence of each slice after them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay.numerics.watching.bets import level_counts, score_levels, unstarted
from accuracy_assay.numerics.watching.closed_testing import least_evidence
from accuracy_assay.numerics.watching.evidence import log_evidence
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.watch.slices import WatchedSlice
from accuracy_assay.study.watch.stream import Stream

__all__ = ["Looks", "Side"]

_SCALE = 1000.0
"""Labels after the baseline within which half of the bets begin. In made worlds, with a loss after
1,500 labels, 500 found 5 points fewer of the losses of a third and 2,000 as many."""
_MOST_LOOKS = 1000
"""Most looks by default: more take longer, and find a loss a thousandth of the labels sooner."""
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


@dataclass(frozen=True, eq=False)
class Looks:
    """The labels after the baseline in blocks, one look after each.

    Parameters
    ----------
    stream
        The labels.
    ends
        How many later labels each look has seen, (T,).
    """

    stream: Stream
    ends: IntArray

    @classmethod
    def every(cls, stream: Stream, labels: int | None) -> Looks:
        """Return looks after every so many labels, as often as is of use by default."""
        n = stream.n_later
        step = max(1, -(-n // _MOST_LOOKS)) if labels is None else labels
        return cls(stream, np.append(np.arange(step, n, step), n))

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

    def side(
        self,
        slices: tuple[WatchedSlice, ...],
        weights: FloatArray,
        tolerance: float,
        *,
        gain: bool,
    ) -> Side:
        """Return the evidence that slices lost more than is tolerated, or gained more."""
        begun = np.concatenate([[1.0], unstarted(self.ends.astype(np.float64), _SCALE)])
        started = begun[:-1] - begun[1:]
        levels = score_levels(self.stream.scores)
        logs = np.zeros((len(slices), self.ends.size))
        for i, each in enumerate(slices):
            baseline, blocks = self._counts(each, levels)
            if gain:  # a gain is a loss of wrong answers
                baseline, blocks = baseline[::-1], blocks[:, ::-1]
            logs[i] = _evidence(baseline, blocks, levels, started, tolerance)
        every = weights @ np.exp(np.minimum(logs, _MOST_LOG))
        return Side(every, least_evidence(logs, weights), np.exp(np.minimum(logs, _MOST_LOG)))

    def _counts(self, which: WatchedSlice, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the labels of a slice by level: of the baseline, (L,), and by block, (T, L)."""
        n = self.stream.n_baseline
        is_in = which.holds(self.stream.codes)
        baseline = level_counts(self.stream.scores[:n][is_in[:n]], levels).sum(axis=0)
        at = np.flatnonzero(is_in[n:])
        shares = level_counts(self.stream.scores[n:][at], levels)
        block = np.searchsorted(self.ends, at, side="right")
        n_blocks = self.ends.size
        by_level = [np.bincount(block, column, minlength=n_blocks) for column in shares.T]
        return baseline, np.stack(by_level, axis=1)


def _evidence(
    baseline: FloatArray,
    blocks: FloatArray,
    levels: FloatArray,
    started: FloatArray,
    tolerance: float,
) -> FloatArray:
    """Return the log evidence of a slice after every look, (T,).

    Between its own labels nothing happens: bets that begin there are as good as unbegun.
    """
    own = np.flatnonzero(blocks.sum(axis=1) > 0.0)
    if not own.size:
        return log_evidence(baseline, blocks[:1], levels, started[:1], tolerance).repeat(
            started.size
        )
    begun = np.diff(np.cumsum(started)[own], prepend=0.0)
    found = log_evidence(baseline, blocks[own], levels, begun, tolerance)
    before = log_evidence(baseline, np.zeros((1, levels.size)), levels, np.ones(1), tolerance)
    at = np.searchsorted(own, np.arange(started.size), side="right")
    return np.concatenate([before, found])[at]
