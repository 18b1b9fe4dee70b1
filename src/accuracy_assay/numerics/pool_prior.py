"""The joint prior of attribute combinations, brought up to the pool by a few EM steps.

Notation
--------
U        n pool rows with factors F_k (n, V_k) = M_k^t_k, largest entry of a row one
pi_k     (V_k,) mean of the normalised factors over the pool: the predictor's own base rate
pi_0     (A,) prior from the seed set;  pi  (A,) prior after the pool was seen

If predictors err independently given the attributes, p(x | a) is proportional to
prod_k F_k(a_k) / pi_k(a_k), and pi maximises the likelihood of the pool. Seed set and pool count
equally: each step sets pi = (pi_0 + mean_i P(a | x_i)) / 2 (Saerens et al. 2002, with a prior).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from accuracy_assay.numerics.top_joint import expected_counts

__all__ = ["base_rates", "log_product", "pool_prior"]

Floats = NDArray[np.float64]


def base_rates(factors: Sequence[Floats]) -> list[Floats]:
    """Return pi_k of each attribute: the mean of its normalised factors, (V_k,)."""
    rates = []
    for factor in factors:
        rate = (factor / factor.sum(axis=1, keepdims=True)).mean(axis=0)
        rate = np.maximum(rate, 1e-4 / rate.size)
        rates.append(rate / rate.sum())
    return rates


def log_product(tables: Sequence[Floats]) -> Floats:
    """Return the sum of log tables over all combinations, flat in mixed radix, (A,)."""
    total = np.zeros(1)
    for table in tables:
        total = np.add.outer(total, np.log(table)).reshape(-1)
    return total


def pool_prior(
    factors: Sequence[Floats], rates: Sequence[Floats], start: Floats, n_steps: int = 6
) -> Floats:
    """Return pi (A,) after ``n_steps`` of EM over the pool, starting at ``start``."""
    n = factors[0].shape[0]
    base = log_product(rates)
    prior = start
    for _ in range(n_steps):
        seen = expected_counts(factors, np.log(prior) - base) / n
        prior = 0.5 * (start + seen)
    return prior
