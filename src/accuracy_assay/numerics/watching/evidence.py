"""``log_evidence``: how strongly the labels of a slice say that it lost more than is tolerated.

The notation is in `accuracy_assay.numerics.watching`; `bets` has the bets.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.numerics.watching.bets import log_factors, log_restarted
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["log_evidence"]

_LOSSES = np.array([0.03, 0.08, 0.15, 0.25, 0.4, 0.7])
"""Losses that are bet on later, as angles from the baseline's mean. From 0.8 they are falls to
0.78, 0.73, 0.67, 0.57, 0.43 and 0.15."""
_SHARES = np.array([0.05, 0.1, 0.2, 0.3, 0.25, 0.1])
"""How much is laid on each. Small losses take long to find whatever is laid on them."""
_LEAST_TURN = 0.5
"""Where b is low, the bet from there to the same rate is small; it turns by at least this share of
the loss, so that it also pays where the loss is larger. 0.3 cost 0.3 nats, 0.7 cost 0.1."""
_KEPT = 0.2
"""Share that is laid on no bet on the baseline: with a large baseline its rate is hardly in doubt,
and evidence of the later labels is then worth a fifth, no less. With a small one, 0.4 would cost
0.3 nats."""
_STANDARD_ERRORS = 3.0
"""The bet on the baseline: that its rate is this many standard errors above b. Evidence that takes
8 to 12 nats divides between baseline and later labels so that 2 to 4.5 are in question."""
_STANDARD_ERRORS_GRADED = (3.0, 6.0, 12.0)
"""The same for fractional scores, which may vary much less than right and wrong."""
_GRID = -np.concatenate([np.arange(8.0, 5.5, -0.5), np.arange(5.5, 0.0, -0.0625), [0.0]])
"""Edges of the cells of b in standard errors from the baseline's mean. Eight below it the baseline
alone is worth a million; above it the bets on later labels are worth more, and the one on the
baseline no less. A step costs three times its size in nats, 0.2 here."""


def log_evidence(
    baseline: FloatArray,
    blocks: FloatArray,
    levels: FloatArray,
    started: FloatArray,
    tolerance: float,
    angles: FloatArray | None = None,
) -> FloatArray:
    """Return the log of e_t after every block, (T,).

    Parameters
    ----------
    baseline
        Labels of the baseline by level, (L,); by kind and level, (G, L), if there are ``angles``.
    blocks
        Later labels of each block by level, (T, L) or (T, G, L).
    levels
        The levels, (L,).
    started
        Share of the bets that begin before each block, (T,).
    tolerance
        Loss that is tolerated.
    angles
        Angle of the rate that each kind is thought to have in the baseline, (G,). Then what is not
        known is one turn r of them all: kind g has the rate sin(angle_g + r)^2.
    """
    if not baseline.sum() > 0.0:
        return np.full(blocks.shape[0], -np.inf)
    if angles is None:
        baseline, blocks, angles = baseline[None], blocks[:, None], np.zeros(1)
    middle = _middle(baseline, levels, angles)
    rates = _edges(baseline, middle)
    later = _log_later(rates[:-1] - tolerance, middle, blocks, levels, started)
    # The cell between two edges: E rises with b and B falls, so each is taken at its lower end.
    return np.asarray((_log_baseline(rates[1:], baseline, levels) + later).min(axis=1))


def _middle(baseline: FloatArray, levels: FloatArray, angles: FloatArray) -> FloatArray:
    """Return the angles turned to where the baseline's labels are, (G,)."""
    n = baseline.sum(axis=1)
    seen = np.flatnonzero(n > 0.0)
    own = np.arcsin(np.sqrt(np.clip(baseline[seen] @ levels / n[seen], 0.0, 1.0)))
    return np.asarray(angles + (n[seen] / n.sum()) @ (own - angles[seen]))


def _edges(baseline: FloatArray, middle: FloatArray) -> FloatArray:
    """Return the edges of the cells of b, (K + 1, G), from 0 to 1; any edges would be right."""
    inner = _GRID / (2.0 * np.sqrt(baseline.sum()))
    turns = np.concatenate([[-np.pi], inner, [np.pi]])
    return np.asarray(np.sin(np.clip(middle + turns[:, None], 0.0, np.pi / 2.0)) ** 2)


def _log_baseline(rates: FloatArray, baseline: FloatArray, levels: FloatArray) -> FloatArray:
    """Return log B at each edge, (K,), given the rates there, (K, G)."""
    errors = np.array([_STANDARD_ERRORS] if levels.size == 2 else _STANDARD_ERRORS_GRADED)
    turns = errors / (2.0 * np.sqrt(baseline.sum()))
    worth = _worth(baseline[None], rates, turns, levels)[0]
    laid = np.log((1.0 - _KEPT) / turns.size)
    return np.asarray(np.logaddexp(np.log(_KEPT), np.logaddexp.reduce(worth + laid, axis=1)))


def _log_later(
    rates: FloatArray,
    middle: FloatArray,
    blocks: FloatArray,
    levels: FloatArray,
    started: FloatArray,
) -> FloatArray:
    """Return log E_t at each edge, (T, K), given the rates there, (K, G).

    From every rate the bets are on the same falls, those from the baseline's mean.
    """
    from_here = np.arcsin(np.sqrt(np.clip(rates, 0.0, 1.0))) - middle
    turns = -np.maximum(from_here[..., None] + _LOSSES, _LEAST_TURN * _LOSSES)
    wealth = np.cumsum(_worth(blocks, rates, turns, levels), axis=0)
    worth = np.logaddexp.reduce(log_restarted(wealth, started) + np.log(_SHARES), axis=2)
    left = np.maximum(1.0 - np.cumsum(started), 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp(worth, np.log(left)[:, None]))


def _worth(
    counts: FloatArray, rates: FloatArray, turns: FloatArray, levels: FloatArray
) -> FloatArray:
    """Return the log of what every bet makes of some blocks of labels, (T, K, D).

    ``turns`` are those of all rates, (D,), or of each, (K, G, D).
    """
    n_bets = turns.shape[-1]
    factors = log_factors(rates.ravel(), turns.reshape(-1, n_bets), levels)
    by_kind = factors.reshape(levels.size, *rates.shape, n_bets)
    return np.tensordot(counts, by_kind, axes=([1, 2], [2, 0]))
