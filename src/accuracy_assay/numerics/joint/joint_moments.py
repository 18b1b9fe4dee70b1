"""Partition, marginals and expected arms of P(a | x) proportional to prod_k F_k(a_k) exp N(a).

All come from four matrix products over heads and tails; no table of n x A is held.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from accuracy_assay.numerics.joint.top_joint import split_factors, split_point
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["Moments", "joint_moments"]


class Moments(NamedTuple):
    """log Z (n,), P(a_k | x) of each attribute (K arrays (n, V_k)) and sum_i P(a | x_i) (A,)."""

    log_z: FloatArray
    values: list[FloatArray]
    arms: FloatArray


def joint_moments(factors: Sequence[FloatArray], potential: FloatArray) -> Moments:
    """Return the moments of every row.

    Examples
    --------
    >>> found = joint_moments([np.array([[1.0, 0.5]])], np.log(np.array([2.0, 4.0])))
    >>> found.arms.tolist()
    [0.5, 0.5]
    """
    shape = [factor.shape[1] for factor in factors]
    j = split_point(shape)
    top = float(potential.max())
    head, tail, table = split_factors(factors, potential - top)
    tail_mass = (head @ table) * tail
    z = tail_mass.sum(axis=1, keepdims=True)
    head_mass = (tail @ table.T) * head / z
    values = _marginals(head_mass, shape[:j]) + _marginals(tail_mass / z, shape[j:])
    arms = table * ((head / z).T @ tail)
    return Moments(np.log(z[:, 0]) + top, values, arms.reshape(-1))


def _marginals(mass: FloatArray, shape: Sequence[int]) -> list[FloatArray]:
    n, found = mass.shape[0], []
    for k, size in enumerate(shape):
        before = math.prod(shape[:k])
        found.append(mass.reshape(n, before, size, -1).sum(axis=(1, 3)))
    return found
