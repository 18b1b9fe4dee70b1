"""The joint prior of attribute combinations that a pool's evidence suggests, by EM.

If predictors err independently given the attributes, p(x | a) is proportional to
prod_k F_k(a_k) / pi_k(a_k), and EM for the likelihood of the pool sets pi to the mean of P(a | x)
(Saerens et al. 2002). A tenth of pi stays with the product of the base rates, and EM takes only a
few steps: both keep combinations with little evidence from vanishing.

Special to this module: pi_k is the base rate of a predictor, the mean of its normalised factors
over the pool.
"""

from collections.abc import Sequence

import numpy as np

from accuracy_assay.numerics.joint.arm_distribution import expected_counts
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["base_rates", "log_product", "pool_prior"]


# Steps of EM. Chosen by hand: the first few move the mass; many would drive rare combinations to
# zero, as maximum likelihood without a prior does.
_STEPS = 6
# Share of pi that stays with the product of the base rates. Chosen by hand: a combination keeps at
# least a tenth of what independent attributes would give it.
_APART = 0.1
# Least base rate of a value, relative to an even share. It keeps logs finite for values that no
# predictor gives any mass.
_LEAST_RATE = 1e-4


def base_rates(factors: Sequence[FloatArray]) -> list[FloatArray]:
    """Return pi_k of each attribute: the mean of its normalised factors, (V_k,)."""
    rates = []
    for factor in factors:
        rate = (factor / factor.sum(axis=1, keepdims=True)).mean(axis=0)
        rate = np.maximum(rate, _LEAST_RATE / rate.size)
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
