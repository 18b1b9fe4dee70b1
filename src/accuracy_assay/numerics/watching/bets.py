"""Bets on scores: what they are worth after some labels, and bets that begin at every label.

A bet against rates of at least m turns the angle of m by d < 0: with phi = arcsin sqrt(m) and
q = sin(phi + d)^2, a score x turns 1 into

    factor = x q / m + (1 - x) (1 - q) / (1 - m) = 1 + lambda (m - x)

which has mean at most 1 if the mean of x is at least m. With d > 0 it is a bet against rates of at
most m. Whatever x is, the factor rises with m for d < 0 and falls with m for d > 0, since

    sin(phi + d) / sin(phi) = cos d + cot(phi) sin d
    cos(phi + d) / cos(phi) = cos d - tan(phi) sin d

So evidence against an interval of rates is that at one of its ends, and an infimum over rates
needs no more than a grid.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["level_counts", "log_factors", "log_restarted", "score_levels", "unstarted"]

_STEPS = 16
"""Steps between the levels of fractional scores. A score between two levels counts as a share of
each; the logarithm of the factor is concave in x, so that is at most what the score itself gives.
It loses about (lambda / 16)^2 / 8 nats per label: 0.002 for lambda = 2."""
_KEPT = 1e-9
"""Share of every bet that is kept aside at every label, so that no bet is lost for ever."""


def score_levels(scores: FloatArray) -> FloatArray:
    """Return the levels that scores are counted at: 0 and 1 if there are no others.

    Examples
    --------
    >>> score_levels(np.array([0.0, 1.0, 1.0]))
    array([0., 1.])
    """
    is_plain = bool(np.isin(scores, (0.0, 1.0)).all())
    return np.linspace(0.0, 1.0, 2 if is_plain else _STEPS + 1)


def level_counts(scores: FloatArray, levels: FloatArray) -> FloatArray:
    """Return each score, (N,), as shares of the two levels around it, (N, L).

    Examples
    --------
    >>> level_counts(np.array([0.0, 0.25]), np.array([0.0, 1.0]))
    array([[1.  , 0.  ],
           [0.75, 0.25]])
    """
    at = scores * (levels.size - 1)
    below = np.minimum(at.astype(np.int64), levels.size - 2)
    shares = np.zeros((scores.size, levels.size))
    rows = np.arange(scores.size)
    shares[rows, below] = 1.0 - (at - below)
    shares[rows, below + 1] = at - below
    return shares


def log_factors(rates: FloatArray, turns: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the log of the factor for every level, rate and bet, (L, K, D).

    A rate below 0 or above 1 counts as 0 or 1.

    Parameters
    ----------
    rates
        Rates m that the scores are held against, (K,).
    turns
        Angles d of the bets, (D,) or (K, D): negative against rates of at least m.
    levels
        Scores, (L,).
    """
    m = np.clip(rates, 0.0, 1.0)[:, None]
    q = np.sin(np.clip(np.arcsin(np.sqrt(m)) + turns, 0.0, np.pi / 2.0)) ** 2
    x = levels[:, None, None]
    mixed = x * _ratio(q, m) + (1.0 - x) * _ratio(1.0 - q, 1.0 - m)
    return np.asarray(np.log(_KEPT + (1.0 - _KEPT) * mixed))


def unstarted(labels: FloatArray, scale: float) -> FloatArray:
    """Return the share of all bets that have not begun after so many labels.

    Half of them begin within the first ``scale`` labels, two thirds within twice as many.
    """
    return scale / (scale + labels)


def log_restarted(log_wealth: FloatArray, started: FloatArray) -> FloatArray:
    """Return the log of what bets that begin before every block are worth together, (T, ...).

    In linear time: after block t they are worth sum over s <= t of started_s exp(Z_t - Z_(s-1)).

    Parameters
    ----------
    log_wealth
        Z: log factors of the blocks, added up from the first on, (T, ...).
    started
        Share of the bets that begin before each block, (T,).
    """
    before = np.concatenate([np.zeros((1, *log_wealth.shape[1:])), log_wealth[:-1]])
    with np.errstate(divide="ignore"):
        shares = np.log(started).reshape(-1, *(1,) * (log_wealth.ndim - 1))
    return np.asarray(log_wealth + np.logaddexp.accumulate(shares - before, axis=0))


def _ratio(new: FloatArray, old: FloatArray) -> FloatArray:
    """Return new / old; where what happened cannot happen, the limit, but no infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = new / old
    return np.where(old > 0.0, found, np.where(new > 0.0, 1.0 / _KEPT, 0.0))
