"""Probabilities of ranks of several numbers, such as services' accuracies, from joint draws."""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["rank_probabilities"]

_TIE = 1e-12
"""Scale of the noise that breaks ties: smaller differences count as zero."""


def rank_probabilities(draws: FloatArray) -> FloatArray:
    """Return how often each of k numbers has each rank, 0 for the largest.

    Parameters
    ----------
    draws : (S, k)
        Joint draws of the numbers.

    Returns
    -------
    array
        ``[i, r]`` is the probability that number i has rank r, shape (k, k).

    Examples
    --------
    >>> rank_probabilities(np.array([[0.9, 0.8], [0.7, 0.8], [0.9, 0.8], [0.9, 0.8]])).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    n_draws, k = draws.shape
    noise = np.random.default_rng(0).standard_normal((n_draws - n_draws // 2, k))
    # Every other draw has the noise of the one before it turned round: of two equal numbers each
    # is the larger in half of the draws.
    either = np.stack([noise, -noise], axis=1).reshape(-1, k)[:n_draws]
    rank = np.argsort(np.argsort(-(draws + _TIE * either), axis=1), axis=1)
    counts = np.stack([np.bincount(rank[:, i], minlength=k) for i in range(k)])
    return np.asarray(counts / n_draws)
