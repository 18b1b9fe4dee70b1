"""Probabilities of ranks from what is known about every pair of items, such as services.

Notation: k items; for each pair ``mean``, ``sd`` and ``probability`` of the difference, shape
(k, k), antisymmetric, symmetric, and summing to one across the diagonal. Items are normal
variables e_i whose differences have the pairs' variances: with D_ij = sd_ij^2 their covariance, up
to what all share, is -1/2 J D J, J = I - 1/k (classical scaling; negative eigenvalues, which no
joint distribution has, become zero). Their means are such that e_i is above e_j with the pair's
probability: exactly for two items, in least squares for more.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["rank_probabilities"]

_DRAWS = 4000
"""Joint draws: a probability of one half is off by 0.8%."""
_SUREST = 1e-4
"""Probabilities stay this far from 0 and 1: less than the draws can resolve."""
_TIE = 1e-12
"""Scale of the noise that breaks ties: smaller differences count as zero."""
_AT_ONCE = 2_000_000
"""Numbers drawn at a time. Bounds memory: 16 MB."""


def rank_probabilities(
    mean: FloatArray, sd: FloatArray, probability: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the probability of each rank of each item.

    Parameters
    ----------
    mean, sd, probability : (n, k, k)
        What is known about the pairs in each of n questions.
    rng
        Source of the draws.

    Returns
    -------
    array
        ``[q, i, r]`` is the probability that item i has rank r (0 is the best) in question q,
        shape (n, k, k).

    Examples
    --------
    >>> better = np.array([[[0.5, 0.8], [0.2, 0.5]]])
    >>> away, spread = np.array([[[0.0, 0.1], [-0.1, 0.0]]]), np.array([[[0.0, 0.1], [0.1, 0.0]]])
    >>> rank_probabilities(away, spread, better, np.random.default_rng(0))[0].round(2).tolist()
    [[0.8, 0.2], [0.2, 0.8]]
    """
    n, k = mean.shape[:2]
    if k == 2:
        first = probability[:, 0, 1]
        return np.stack([np.stack([first, 1 - first], -1), np.stack([1 - first, first], -1)], 1)
    centre, root = _joint(mean, sd, probability)
    found = np.empty((n, k, k))
    at_once = max(_AT_ONCE // (_DRAWS * k), 1)
    for start in range(0, n, at_once):
        part = slice(start, start + at_once)
        z = rng.standard_normal((root[part].shape[0], _DRAWS, k))
        e = centre[part, None, :] + z @ root[part].transpose(0, 2, 1)
        e += _TIE * rng.standard_normal(e.shape)
        rank = np.argsort(np.argsort(-e, axis=2), axis=2)
        found[part] = (rank[..., None] == np.arange(k)).mean(axis=1)
    return found


def _joint(
    mean: FloatArray, sd: FloatArray, probability: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the means (n, k) of the items and a root of their covariance, (n, k, k)."""
    k = mean.shape[1]
    J = np.eye(k) - 1.0 / k
    values, vectors = np.linalg.eigh(-0.5 * J @ (sd**2) @ J)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    implied = np.sqrt(
        np.maximum(((root[:, :, None, :] - root[:, None, :, :]) ** 2).sum(axis=3), 0.0)
    )
    apart = implied * ndtri(np.clip(probability, _SUREST, 1.0 - _SUREST))
    # A certain difference has no spread to scale a probability by.
    return np.where(sd > 0.0, apart, mean).mean(axis=2), root
