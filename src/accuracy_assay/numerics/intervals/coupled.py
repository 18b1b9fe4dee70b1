"""Numbers whose margins are known, with correlations between them: joint draws by a copula.

Notation: k numbers in each of Q questions. Each has a mean, a deviation and a central interval,
and is taken for

    x = mean + a z + b (z^2 - 1),    a^2 + 2 b^2 = sd^2,

with z standard normal and b such that the interval lies as far to one side of the mean as the
given one. The z of a question have correlations R (k, k).
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["couple", "normal_draws"]

_MOST_BENT = 1.0 / 3.0
"""Largest b in units of the deviation: x then still grows with z over all central intervals that
anybody asks for."""

_EVENLY = np.array([0.7548776662466927, 0.5698402909980532])
"""1 / p and 1 / p^2 with p^3 = p + 1: multiples of them fill a square evenly."""


def normal_draws(count: int, k: int, seed: int = 0) -> FloatArray:
    """Return independent standard normal draws, (S, k), the same for a seed.

    With every draw its negative is drawn too, so the mean is zero. For two numbers the draws are
    spread evenly (the additive recurrence of Roberts, 2018), and each is drawn with both places
    exchanged too, so that neither is favoured.
    """
    from scipy.special import ndtri  # here, since telling draws nothing

    if k == 2:
        along = np.arange(0.5, count // 4)[:, None] * _EVENLY
        half = ndtri(along % 1.0)
        half = np.concatenate([half, half[:, ::-1]])
    else:
        half = np.random.default_rng([seed, k]).standard_normal((count // 2, k))
    drawn = np.concatenate([half, -half])
    return np.asarray(drawn / drawn.std(axis=0))


def couple(
    mean: FloatArray,
    sd: FloatArray,
    ends: tuple[FloatArray, FloatArray],
    level: float,
    correlation: FloatArray,
    normals: FloatArray,
) -> FloatArray:
    """Return joint draws with the given means, deviations and correlations.

    Parameters
    ----------
    mean, sd : (Q, k)
        Of each number.
    ends : (Q, k) each
        Lower and upper end of its interval of probability ``level``.
    correlation : (Q, k, k)
        Of the numbers of a question.
    normals : (S, k) or (S, Q, k)
        Independent standard normal draws.

    Returns
    -------
    array
        Shape (S, Q, k). The mean over the draws is ``mean``.

    Examples
    --------
    >>> zero, one = np.zeros((1, 2)), np.ones((1, 2))
    >>> same = np.ones((1, 2, 2))
    >>> drawn = couple(zero, one, (-1.645 * one, 1.645 * one), 0.9, same, normal_draws(400, 2))
    >>> bool(np.allclose(drawn[:, :, 0], drawn[:, :, 1]))
    True
    """
    q = NormalDist().inv_cdf(0.5 + level / 2.0)
    aside = (0.5 * (ends[0] + ends[1]) - mean) / (q**2 - 1.0) if q > 1.0 else 0.0 * mean
    b = np.clip(aside, -_MOST_BENT * sd, _MOST_BENT * sd)
    a = np.sqrt(sd**2 - 2.0 * b**2)
    every = normals if normals.ndim == 3 else normals[:, None, :]
    z = np.einsum("qij,sqj->sqi", _root(correlation), every)
    away = a * z + b * (z**2 - 1.0)
    return np.asarray(mean + away - away.mean(axis=0))


def _root(correlation: FloatArray) -> FloatArray:
    """Return the symmetric roots of correlation matrices, (Q, k, k), as nearly as possible."""
    values, vectors = np.linalg.eigh(correlation)
    scaled = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    return np.asarray(scaled @ vectors.transpose(0, 2, 1))
