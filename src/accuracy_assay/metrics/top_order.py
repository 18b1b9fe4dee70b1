"""The order of the first services: what is open about it, and which rows decide it.

Notation: k services, S joint draws of their accuracies over the pool, N rows of the pool.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["FIRST", "deciding", "open_difference", "stakes"]

FIRST = 3
"""Places whose order is to be settled: whoever chooses among many looks at a few."""
_LEAST_STAKE = 0.01
"""Pairs with less at stake are left out: a label that tells them apart changes nothing."""


def stakes(draws: FloatArray, first: int = FIRST) -> FloatArray:
    """Return what is open about the order of each pair of services, (k, k), given draws (S, k).

    It is 4 p (1 - p) with p the probability that one is better than the other, times the
    probability that one of the two is among the first.

    Examples
    --------
    >>> sure = np.array([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2]] * 50)
    >>> stakes(sure, 1).tolist()
    [[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    k = draws.shape[1]
    rank = (-draws).argsort(axis=1).argsort(axis=1)
    is_first = np.asarray((rank < first).mean(axis=0))
    found = np.zeros((k, k))
    for s in np.flatnonzero(is_first >= _LEAST_STAKE).tolist():
        better = (draws[:, s : s + 1] > draws).mean(axis=0)
        tied = (draws[:, s : s + 1] == draws).mean(axis=0)
        p = better + 0.5 * tied
        worth = 4.0 * p * (1.0 - p) * np.maximum(is_first[s], is_first)
        worth[s] = 0.0
        found[s] = np.maximum(found[s], worth)
        found[:, s] = np.maximum(found[:, s], worth)
    return np.where(found >= _LEAST_STAKE, found, 0.0)


def open_difference(draws: FloatArray, level: float, first: int = FIRST) -> float:
    """Return how far two services may differ whose order is open, one of them among the first.

    It is the farther end of the widest interval of such differences, at this level; 0 if the order
    is settled: each of the first is better than whoever comes after it, with this probability.

    Examples
    --------
    >>> sure = np.array([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2]] * 50)
    >>> round(open_difference(sure, 0.9, 1), 3), open_difference(sure[:, 1:], 0.9, 1)
    (0.1, 0.0)
    """
    order = np.argsort(-draws.mean(axis=0), kind="stable")
    tail, widest = (1.0 - level) / 2.0, 0.0
    for place, s in enumerate(order[:first].tolist()):
        apart = draws[:, [s]] - draws[:, order[place + 1 :]]
        better = (0.5 + 0.5 * np.sign(apart)).mean(axis=0)
        if (is_open := better < level).any():
            ends = np.quantile(apart[:, is_open], [tail, 1.0 - tail], axis=0)
            widest = max(widest, float(np.abs(ends).max()))
    return widest


def deciding(codes: IntArray, at_stake: FloatArray) -> FloatArray:
    """Return how much of the order each row decides, (N,): what is at stake where answers differ.

    ``codes`` (N, k) of two services are equal in a row if their answers are.

    Examples
    --------
    >>> at_stake = np.array([[0.0, 1.0, 0.2], [1.0, 0.0, 0.0], [0.2, 0.0, 0.0]])
    >>> deciding(np.array([[1, 1, 1], [1, 2, 1], [1, 1, 2]]), at_stake).tolist()
    [0.0, 1.0, 0.2]
    """
    found = np.zeros(codes.shape[0])
    for s, t in zip(*np.nonzero(np.triu(at_stake)), strict=True):
        found += at_stake[s, t] * (codes[:, s] != codes[:, t])
    return found
