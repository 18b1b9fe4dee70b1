"""Rates that are the same everywhere, or in every stratum: what a surface is weighed against.

An estimator of surfaces expects arms to differ. With a dozen labels that all say the same it takes
the mean of the arms for nearer to one half than it is: some arm, it thinks, will be otherwise. So
beside the surface stand two simple hypotheses, one rate for all cells and one for each stratum of
the signals, and each counts by how likely it makes the labels.

Notation: n labels of a group of cells, y of them positive. Under Jeffreys' prior Beta(1/2, 1/2)
the rate is Beta(y + 1/2, n - y + 1/2), and the labels have the evidence B(y + 1/2, n - y + 1/2) /
B(1/2, 1/2); that of several groups is the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln

from accuracy_assay.domain.observations import Observations
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Rates", "mix_rates", "simple_rates"]

_HALF = 0.5
"""Jeffreys' prior: half a label of either kind."""


@dataclass(frozen=True, eq=False)
class Rates:
    """What one hypothesis says of the rates of T cells.

    Parameters
    ----------
    mean, draws
        Mean of each rate, shape (T,), and joint draws of them, shape (S, T).
    log_weight
        Logarithm of its evidence times its probability before any label.
    """

    mean: FloatArray
    draws: FloatArray
    log_weight: float


def simple_rates(
    observations: Observations, n_draws: int, rng: np.random.Generator
) -> list[Rates]:
    """Return one rate for all cells, and one for each stratum where there are several."""
    support = observations.support
    strata = support.cells % support.n_strata
    found = [_rates_by(np.zeros_like(strata), observations, n_draws, rng)]
    if np.unique(strata).size > 1:
        found.append(_rates_by(strata, observations, n_draws, rng))
    return found


def mix_rates(
    hypotheses: Sequence[Rates], rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return mean (T,) and draws (S, T) over several hypotheses, each by its weight."""
    logs = np.array([h.log_weight for h in hypotheses])
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    n_draws = hypotheses[0].draws.shape[0]
    ends = np.round(np.cumsum(weight) * n_draws).astype(int)
    starts = np.append(0, ends[:-1])
    parts = [h.draws[a:b] for h, a, b in zip(hypotheses, starts, ends, strict=True)]
    mean = np.asarray(sum(w * h.mean for w, h in zip(weight, hypotheses, strict=True)))
    return mean, rng.permutation(np.concatenate(parts))


def _rates_by(
    group: IntArray, observations: Observations, n_draws: int, rng: np.random.Generator
) -> Rates:
    """Return the rates of groups of cells, given the group of each cell, (T,)."""
    at = np.searchsorted(observations.support.cells, observations.affiliation.indices)
    n_groups = int(group.max()) + 1
    n, y = (
        sum_by_group(group[at], values, n_groups)
        for values in (observations.count, observations.score)
    )
    a, b = y + _HALF, n - y + _HALF
    evidence = float((betaln(a, b) - betaln(_HALF, _HALF)).sum())
    draws = rng.beta(a, b, (n_draws, n_groups))
    return Rates((a / (a + b))[group], draws[:, group], evidence)
