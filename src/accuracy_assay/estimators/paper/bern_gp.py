"""BernGP: labels as coins whose rate is the sigmoid of one Gaussian process.

log p(c_a, n_a | f) = c_a log phi_a + (n_a - c_a) log(1 - phi_a), phi_a = sigmoid(f_a): equation
(bernLL) of the paper with the counts of an arm added up. rho_a = phi_a has no spread beyond f.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, ndtri

from accuracy_assay.estimators.paper.variational import VariationalGP
from accuracy_assay.numerics.paper.beta_moments import bernoulli_moments
from accuracy_assay.numerics.paper.svgp import Model
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["BernGP"]


@dataclass(frozen=True, kw_only=True)
class BernGP(VariationalGP):
    """Smooth a success rate over arms with one latent function."""

    name: ClassVar[str] = "bern-gp"

    def model(self) -> Model:
        """Return the Bernoulli model."""
        return Model(likelihood="bernoulli")

    def moments(self, mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return E and V of sigmoid(f)."""
        return bernoulli_moments(mean, variance)

    def quantiles(
        self, mean: FloatArray, variance: FloatArray, levels: tuple[float, ...]
    ) -> FloatArray:
        """Return quantiles of sigmoid(f), exact because the sigmoid is monotone."""
        z = ndtri(np.asarray(levels))[:, None]
        return np.asarray(expit(mean[0] + z * np.sqrt(variance[0])))

    def rates(self, draws: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return sigmoid(f) of each draw."""
        return np.asarray(expit(draws[0]))
