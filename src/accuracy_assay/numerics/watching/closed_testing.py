"""Which of several slices lost, and not only that some did: closed testing with e-values.

Notation: e_s evidence of slice s of S, w_s its weight; weights add up to 1. A group of slices is
refuted where the weighted mean of its evidence reaches the bar, 1 / false alarm. Something is lost
if the group of all slices is refuted, and slice s is if every group with s in it is:

    min over groups G with s of  (sum over G of w_i e_i) / (sum over G of w_i)

The weighted mean of e-processes is one, so by Ville's inequality whatever was not lost is named,
at any look, with at most the probability of a false alarm (Vovk and Wang, 2021).
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["least_evidence"]

_MOST = 600.0
"""Largest log that is taken as it is: beyond e^709 there is no floating-point number."""


def least_evidence(log_evidence: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the evidence of the least refuted group that each slice is in, (S, ...).

    Parameters
    ----------
    log_evidence
        Log of e_s, (S, ...).
    weights
        w_s, (S,).

    Examples
    --------
    >>> least_evidence(np.log([60.0, 1.0, 30.0]), np.array([0.4, 0.4, 0.2])).round(1)
    array([30.4,  1. , 10.7])
    """
    e = np.exp(np.minimum(log_evidence, _MOST))
    w = np.broadcast_to(weights.reshape(-1, *(1,) * (e.ndim - 1)), e.shape)
    order = np.argsort(e, axis=0)
    low, mass = (np.take_along_axis(a, order, axis=0) for a in (w * e, w))
    sums, masses = np.cumsum(low, axis=0), np.cumsum(mass, axis=0)
    found = np.empty_like(e)
    for s in range(e.shape[0]):
        # With the k least of all slices; where s is among them its mean is the least anyway.
        joined = (w[s] * e[s] + sums) / (w[s] + masses)
        is_other = np.cumsum(order == s, axis=0) == 0
        found[s] = np.minimum(e[s], np.where(is_other, joined, np.inf).min(axis=0))
    return found
