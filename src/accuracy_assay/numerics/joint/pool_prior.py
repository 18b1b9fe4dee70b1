"""The joint prior of attribute combinations that the evidence of a pool suggests, by EM.

Notation
--------
U        n pool rows with factors F_k (n, V_k) = M_k^t_k, largest entry of a row one
pi_k     (V_k,) mean of the normalised factors over the pool: the predictor's own base rate
pi       (A,) prior of combinations

If predictors err independently given the attributes, p(x | a) is proportional to
prod_k F_k(a_k) / pi_k(a_k), and EM for the likelihood of the pool sets pi to the mean of P(a | x)
(Saerens et al. 2002). A tenth of pi stays with the product of the base rates, and a few steps are
made rather than many: both keep combinations of little evidence from vanishing.
"""

from collections.abc import Sequence

import numpy as np

from accuracy_assay.numerics.joint.top_joint import expected_counts
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["base_rates", "log_product", "pool_prior"]


_STEPS = 6
_APART = 0.1


def base_rates(factors: Sequence[FloatArray]) -> list[FloatArray]:
    """Return pi_k of each attribute: the mean of its normalised factors, (V_k,)."""
    rates = []
    for factor in factors:
        rate = (factor / factor.sum(axis=1, keepdims=True)).mean(axis=0)
        rate = np.maximum(rate, 1e-4 / rate.size)
        rates.append(rate / rate.sum())
    return rates


def log_product(tables: Sequence[FloatArray]) -> FloatArray:
    """Return the sum of log tables over all combinations, flat in mixed radix, (A,)."""
    total = np.zeros(1)
    for table in tables:
        total = np.add.outer(total, np.log(table)).reshape(-1)
    return total


def pool_prior(factors: Sequence[FloatArray], rates: Sequence[FloatArray]) -> FloatArray:
    """Return pi (A,), starting from the product of the base rates."""
    n = factors[0].shape[0]
    base = log_product(rates)
    apart = np.exp(base)
    prior = apart
    for _ in range(_STEPS):
        seen = expected_counts(factors, np.log(prior) - base) / n
        prior = _APART * apart + (1.0 - _APART) * seen
    return prior
