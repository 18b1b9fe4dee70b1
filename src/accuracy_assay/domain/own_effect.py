"""A slice's own effect: what its labels say beyond the surface.

An estimator shares what it learns between arms. A weak slice is unlike the rest, and should be
pulled towards it least of all: without a correction weak slices are overlooked, and the intervals
of those found lie too high (`docs/decisions/0008`). So a slice may have one effect beta on the
logits of its rows. It is zero with some probability, else normal around zero (spike and slab;
Mitchell and Beauchamp, 1988).

Notation: the slice has arms a with N_a pool rows, n_a labels of which c_a agree, and rates r_a of
the rows without a label. With the surface's posterior normal, and s^2 the variance of the slice's
mean logit, the surface has used the share I s^2 of the labels' information
I = sum_a n_a r_a (1 - r_a); the rest of the surface overruled lambda = 1 - I s^2. The score of
beta is g = sum_a (c_a - n_a r_a), its information I lambda, and the slice's accuracy moves by
kappa lambda beta, with kappa the mean of r (1 - r) over the rows without a label.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.averages import ListedArms
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["with_own_effect"]

_SPREAD = 1.0
"""Standard deviation of an effect, in logits: from 90% to 77% and to 96%."""
_EDGE = 1e-3
"""Rates are kept this far from 0 and 1, where a label would carry infinite information."""


def with_own_effect(
    of: ListedArms, listed: IntArray, drawn: FloatArray, probability: float
) -> FloatArray:
    """Return draws of the accuracy of the slice of the listed arms, (S,), with its own effect.

    ``drawn`` are the draws of it from the surface, (S,); ``probability`` is that of an effect
    before any label.
    """
    listed = listed[of.support[listed] > 0.0]
    size, n, right = of.support[listed], of.n[listed], of.correct[listed]
    rate, free = _open_rows(of, listed)
    coin = rate * (1.0 - rate)
    total = float(size.sum())
    kappa = float(free @ coin) / total
    known = float(n @ coin)
    if not kappa * known > 0.0:
        return drawn
    noise = float(free @ coin) / total**2 if _is_of_pool(of) else 0.0
    variance = max(float(drawn.var()) - noise, 0.0) / kappa**2
    overruled = min(max(1.0 - known * variance, 0.0), 1.0)
    score = float((right - n * rate).sum())
    precision = 1.0 / _SPREAD**2 + known * overruled
    centre = score / precision
    evidence = np.exp(0.5 * score * centre) / (_SPREAD * np.sqrt(precision))
    chance = probability * evidence / (probability * evidence + 1.0 - probability)
    # A fixed seed, so one surface always gives the same slices.
    rng = np.random.default_rng(0)
    effect = centre + rng.standard_normal(drawn.size) / np.sqrt(precision)
    effect = np.where(rng.random(drawn.size) < chance, effect, 0.0)
    return np.asarray(np.clip(drawn + kappa * overruled * effect, 0.0, 1.0))


def _is_of_pool(of: ListedArms) -> bool:
    """Return whether the surface describes the pool's own rows, labelled ones included."""
    return of.details.get("target") == "pool"


def _open_rows(of: ListedArms, listed: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the rate and the number of each arm's rows without a label."""
    size, mean = of.support[listed], of.mean[listed]
    if not _is_of_pool(of):
        return np.clip(mean, _EDGE, 1.0 - _EDGE), size
    free = np.maximum(size - of.n[listed], 0.0)
    is_open = free > 0.0
    rate = np.where(is_open, (size * mean - of.correct[listed]) / np.where(is_open, free, 1), mean)
    return np.clip(rate, _EDGE, 1.0 - _EDGE), free
