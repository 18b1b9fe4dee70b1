"""Intervals on short lattices: the accuracy of a finite pool, and draws that take few values.

Notation: see the sub-package. In a finite pool, labelled rows are known and the others are coins
yet to fall. The mean rate of the U rows without a label has a normal logit (``logit_normal``).
Given it, Y is binomial with the mean and variance that the rows' rates imply. If rates differ, the
variance is less than that of U equal coins (Hoeffding, 1956); fewer trials of a higher chance
reproduce it.

A short lattice has no interval of exactly the level. Of the runs of possible values near the
central interval, ours is the shortest with at least the level, and the most probable of equally
short ones. It includes the possible values next to the mean on either side: an end is always a
number of rows, never a mean that no number of rows gives. On a long lattice X counts as
continuous. Where one end is not in question, the other has the whole of what may be missed.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
from scipy.special import betainc, expit

from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval, match_moments
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["chance_between", "fewest_right", "interval_of_draws", "lattice_interval"]


# The normal logit at equal steps of 0.6 standard deviations, chosen by hand between accuracy and
# time; 0.03% lies beyond 3.6.
_NODES = np.linspace(-3.6, 3.6, 13)
_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()
# Values tried around each end of the continuous interval: the central end lies within two of it,
# and where the distribution is skewed the shortest run lies about one nearer to its peak.
_AROUND = np.arange(-3.0, 4.0)
# Standard deviation from which X counts as continuous: one value then holds less than 1%.
_LONG = 16.0
_EQUAL = 1e-12  # probabilities closer than this are equal
_WHOLE = 1e-9  # numbers of rows closer than this to a whole one are whole
_LEAST = 1e-12  # chances and their variances stay this far from their limits
_LEAST_SHRINK = 1e-3  # of the coins' variance, if the rows' rates leave next to none
# Above this many arms, threads share the values: with 20,000 arms each value takes 0.04 s, far
# longer than a thread takes to start.
_MANY_ARMS = 2048
_LEAST_TRIALS = 1e-3  # above k: the incomplete Beta function needs positive parameters


def lattice_interval(
    rate: FloatArray, variance: FloatArray, noise: FloatArray, trials: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of X on 0..trials with probability ``level`` or more, (A,) each.

    Parameters
    ----------
    rate, variance : (A,)
        Mean and variance of the mean rate of the unlabelled rows.
    noise : (A,)
        Expected variance of X given the rates of the rows.
    trials : (A,)
        Unlabelled rows. With guessed attributes they are not whole; the lattice is then that of
        the nearest whole number, stretched.
    level
        Probability wanted.

    Examples
    --------
    Four coins yet to fall, each right with probability 0.87: all four are right with probability
    0.57, three or four with 0.92. Of seven rows that are hardly ever right, none is with
    probability 0.87, and none or one with 0.99.

    >>> four = lattice_interval(*(np.array([x]) for x in (0.87, 0.0, 0.45, 4.0)), 0.9)
    >>> [end.tolist() for end in four]
    [[3.0], [4.0]]
    >>> seven = lattice_interval(*(np.array([x]) for x in (0.02, 0.0, 0.137, 7.0)), 0.9)
    >>> [end.tolist() for end in seven]
    [[0.0], [1.0]]
    """
    U = np.round(trials)
    total = noise / np.maximum(U, 1.0) ** 2 + variance
    low, high = (np.round(U * end) for end in logit_normal_interval(rate, total, level))
    short = np.flatnonzero(U * np.sqrt(total) < _LONG)
    low[short], high[short] = _shortest(
        low[short],
        high[short],
        _wrong_at_most(rate[short], variance[short], noise[short], U[short]),
        U[short],
        level,
    )
    low = np.minimum(low, np.floor(U * rate + _WHOLE))
    high = np.maximum(high, np.ceil(U * rate - _WHOLE))
    unit = trials / np.maximum(U, 1.0)
    return low * unit, high * unit


def fewest_right(
    rate: FloatArray, variance: FloatArray, noise: FloatArray, trials: FloatArray, level: float
) -> FloatArray:
    """Return the largest x with P(X >= x) of ``level`` or more, (A,); all as `lattice_interval`.

    It is the interval's lower end if its upper one is not in question.

    Examples
    --------
    Of ten coins of 0.9, eight or more are right with probability 0.93, nine or more with 0.74.

    >>> fewest_right(*(np.array([x]) for x in (0.9, 0.0, 0.9, 10.0)), 0.9).tolist()
    [8.0]
    """
    U = np.round(trials)
    total = noise / np.maximum(U, 1.0) ** 2 + variance
    both = max(2.0 * level - 1.0, 0.0)  # one tail of it is one of the level
    low = np.round(U * logit_normal_interval(rate, total, both)[0])
    short = np.flatnonzero(U * np.sqrt(total) < _LONG)
    tried = np.clip(low[short, None] + _AROUND, 0.0, U[short, None])
    at_most = _wrong_at_most(rate[short], variance[short], noise[short], U[short])
    holds = at_most(U[short, None] - tried) >= level - _EQUAL
    low[short] = np.where(holds, tried, 0.0).max(axis=1)
    return np.asarray(np.minimum(low, np.floor(U * rate + _WHOLE)) * trials / np.maximum(U, 1.0))


def chance_between(
    rate: FloatArray,
    variance: FloatArray,
    noise: FloatArray,
    trials: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> FloatArray:
    """Return P(low <= X <= high), (A,); all else as in `lattice_interval`.

    Examples
    --------
    >>> four = (np.array([x]) for x in (0.87, 0.0, 0.45, 4.0, 3.0, 4.0))
    >>> chance_between(*four).round(2).tolist()
    [0.92]
    """
    U = np.round(trials)
    at_most = _wrong_at_most(rate, variance, noise, U)(np.stack([U - high - 1.0, U - low], axis=1))
    return np.asarray(at_most[:, 1] - at_most[:, 0])


def _shortest(
    low: FloatArray,
    high: FloatArray,
    at_most: Callable[[FloatArray], FloatArray],
    U: FloatArray,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the shortest run near the given ends with at least the level, given P(Y <= y)."""
    fewest_right, fewest_wrong = (end[:, None] + _AROUND for end in (low, U - high))
    less_right = 1.0 - at_most(U[:, None] - fewest_right)
    less_wrong = at_most(fewest_wrong - 1.0)
    ends = np.stack([low - _AROUND[-1], high + _AROUND[-1]]).clip(0.0, U)
    shortest = np.full(U.size, np.inf)
    for i, j in product(range(_AROUND.size), repeat=2):
        bottom = np.maximum(fewest_right[:, i], 0.0)
        top = np.minimum(U - fewest_wrong[:, j], U)
        inside = 1.0 - less_right[:, i] - less_wrong[:, j]
        # The likeliest of equally short runs counts as the shortest.
        length = top - bottom - 0.5 * inside
        is_better = (inside >= level - _EQUAL) & (bottom <= top) & (length < shortest)
        shortest[is_better] = length[is_better]
        ends[:, is_better] = bottom[is_better], top[is_better]
    return ends[0], ends[1]


def _wrong_at_most(
    rate: FloatArray, variance: FloatArray, noise: FloatArray, U: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Return the function (A, n_values) -> (A, n_values) that gives P(Y <= y)."""
    m, s = match_moments(rate, variance)
    right = expit(m[:, None] + s[:, None] * _NODES)
    coins = U * (rate * (1.0 - rate) - variance)
    shrink = np.clip(noise / np.maximum(coins, _LEAST), _LEAST_SHRINK, 1.0)[:, None]
    chance = np.clip(1.0 - right * shrink, _LEAST, 1.0 - _LEAST)
    at_most = _binomial_at_most(U[:, None] * (1.0 - right) / chance, chance)

    def mixed(column: FloatArray) -> FloatArray:
        return np.asarray(at_most(column[:, None]) @ _WEIGHTS)

    def of_values(y: FloatArray) -> FloatArray:
        if U.size < _MANY_ARMS:
            return np.stack([mixed(column) for column in y.T], axis=1)
        with ThreadPoolExecutor(_AROUND.size, "intervals") as threads:
            return np.stack(list(threads.map(mixed, y.T)), axis=1)

    return of_values


def _binomial_at_most(n: FloatArray, p: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Return P(Y <= k) = I_(1 - p)(n - k, k + 1) as a function of k; n need not be whole."""

    def at_most(k: FloatArray) -> FloatArray:
        least = np.maximum(k, 0.0)
        below = betainc(np.maximum(n - least, _LEAST_TRIALS), least + 1.0, 1.0 - p)
        return np.where(k < 0.0, 0.0, np.where(k >= n, 1.0, below))

    return at_most


def interval_of_draws(draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the interval that holds a share near ``level`` of draws (S, A).

    A quantile of draws is one of their values, so with few values the interval between two
    quantiles holds too much. Each end may move inwards by one value, to where the share inside is
    nearest to the level; of equals the wider interval wins.

    Examples
    --------
    Of three values the outer two have 4% each: without them 92% are left.

    >>> draws = np.repeat([-1.0, 0.0, 1.0], [4, 92, 4])[:, None]
    >>> [end.tolist() for end in interval_of_draws(draws, 0.9)]
    [[0.0], [0.0]]
    """
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0, method="inverted_cdf")
    next_low = np.where(draws > low, draws, np.inf).min(axis=0)
    next_high = np.where(draws < high, draws, -np.inf).max(axis=0)
    ends = np.stack([low, high])
    nearest = np.full(low.shape, np.inf)
    for a, b in ((low, high), (next_low, high), (low, next_high), (next_low, next_high)):
        share = ((draws >= a) & (draws <= b)).mean(axis=0)
        off = np.where(a <= b, np.abs(share - level), np.inf)
        is_nearer = off < nearest - _EQUAL
        nearest[is_nearer] = off[is_nearer]
        ends[:, is_nearer] = a[is_nearer], b[is_nearer]
    return ends[0], ends[1]
