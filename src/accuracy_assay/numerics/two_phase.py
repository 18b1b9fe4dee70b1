"""Two-phase sampling in strata: cheap scores for many rows, dear labels for few of these.

Of the N rows of a stratum m get the cheap scores and n of these, at random, a label. A label has
the variance S, of which E is left once the cheap scores are known. The regression estimate of the
stratum's mean then has the variance (Cochran, Sampling Techniques, 1977, section 12.7)

    V = S (1/m - 1/N) + E (1/n - 1/m),        without cheap scores  V = S (1/n - 1/N).

The cheapest plan for sum_a w_a^2 V_a <= v minimises cost + l sum_a w_a^2 V_a, stratum by stratum:
n = w sqrt(l E / c), m = w sqrt(l (S - E) / d) at prices c of a label and d of the cheap scores, or
no cheap scores and n = w sqrt(l S / c), whichever costs less. What is there already is free.

Notation: A strata; all arrays are (A,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["Spending", "Strata", "cheapest", "fixed_mix", "variance_of"]

_STEPS = 80
"""Halvings of the logarithm of l: its range of e^60 is known to a part in 10^20."""
_WIDEST = 60.0


@dataclass(frozen=True, eq=False)
class Strata:
    """Rows N, variances S and E, labels and cheap scores so far, and weights of the strata."""

    rows: FloatArray
    variance: FloatArray
    left: FloatArray
    labels: FloatArray
    scored: FloatArray
    weight: FloatArray


@dataclass(frozen=True, eq=False)
class Spending:
    """Labels n and cheap scores m of each stratum, what is there included; 0 scores for none."""

    labels: FloatArray
    scored: FloatArray

    def cost(self, strata: Strata, label_price: float, score_price: float) -> float:
        """Return what is to be paid."""
        labels = np.maximum(self.labels - strata.labels, 0.0).sum()
        scored = np.maximum(self.scored - strata.scored, 0.0).sum()
        return float(label_price * labels + score_price * scored)


def variance_of(strata: Strata, spending: Spending) -> FloatArray:
    """Return the variance of each stratum's mean."""
    n = np.maximum(spending.labels, 1e-9)
    m = np.maximum(spending.scored, n)
    alone = strata.variance * (1.0 / n - 1.0 / strata.rows)
    both = strata.variance * (1.0 / m - 1.0 / strata.rows) + strata.left * (1.0 / n - 1.0 / m)
    return np.maximum(np.where(spending.scored > 0.0, both, alone), 0.0)


def cheapest(
    strata: Strata, variance: float, label_price: float, score_price: float | None
) -> Spending:
    """Return the cheapest plan for a variance of the weighted mean.

    Parameters
    ----------
    strata
        The strata.
    variance
        The most that the sum of weight^2 V may be.
    label_price, score_price
        Prices; no cheap scores where the second is None.
    """

    def at(log_l: float) -> Spending:
        return _at(strata, float(np.exp(log_l)), label_price, score_price)

    def is_enough(log_l: float) -> bool:
        return float(strata.weight**2 @ variance_of(strata, at(log_l))) <= variance

    low, high = -_WIDEST, _WIDEST
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return at(high)


def fixed_mix(strata: Strata, variance: float, *, is_judged: bool) -> Spending:
    """Return the plan that labels the same share of every stratum, and scores all rows or none."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        spent = _share(strata, middle, is_judged=is_judged)
        is_enough = float(strata.weight**2 @ variance_of(strata, spent)) <= variance
        low, high = (low, middle) if is_enough else (middle, high)
    return _share(strata, high, is_judged=is_judged)


def _share(strata: Strata, share: float, *, is_judged: bool) -> Spending:
    labels = np.maximum(np.ceil(share * strata.rows), strata.labels)
    return Spending(labels, strata.rows if is_judged else np.zeros(labels.size))


def _at(strata: Strata, slope: float, label_price: float, score_price: float | None) -> Spending:
    """Return the best plan at one exchange rate of variance for money."""
    w, N = strata.weight, strata.rows
    root = w * np.sqrt(slope)
    least = np.maximum(strata.labels, 1.0)
    alone = np.ceil(np.clip(root * np.sqrt(strata.variance / label_price), least, N))
    without = Spending(alone, np.zeros(N.size))
    if score_price is None:
        return without
    gained = np.maximum(strata.variance - strata.left, 0.0)
    dear = max(score_price, 1e-12)
    scored = np.ceil(np.clip(root * np.sqrt(gained / dear), np.maximum(strata.scored, least), N))
    labels = np.ceil(np.clip(root * np.sqrt(strata.left / label_price), least, scored))
    judged = Spending(labels, scored)

    def price(plan: Spending) -> FloatArray:
        paid = label_price * np.maximum(plan.labels - strata.labels, 0.0)
        paid = paid + score_price * np.maximum(plan.scored - strata.scored, 0.0)
        return np.asarray(paid + slope * w**2 * variance_of(strata, plan))

    is_judged = price(judged) < price(without)
    return Spending(np.where(is_judged, labels, alone), np.where(is_judged, scored, 0.0))
