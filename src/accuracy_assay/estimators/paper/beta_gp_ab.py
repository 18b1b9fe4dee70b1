"""BetaGP-ab: a Beta density at each arm, its alpha and beta smoothed by two Gaussian processes.

rho_a ~ Beta(alpha_a, beta_a), alpha_a = softplus(f_a), beta_a = softplus(g_a): the weaker
parameterisation of the paper's appendix B.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from accuracy_assay.estimators.paper.variational import VariationalGP
from accuracy_assay.numerics.paper.beta_mixture import mixture_draws, mixture_quantiles
from accuracy_assay.numerics.paper.beta_moments import alpha_beta_moments
from accuracy_assay.numerics.paper.svgp import Model
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["BetaGPab"]


@dataclass(frozen=True, kw_only=True)
class BetaGPab(VariationalGP):
    """Smooth the two parameters of a Beta over arms."""

    name: ClassVar[str] = "beta-gp-ab"

    def model(self) -> Model:
        """Return the Beta-binomial model in alpha and beta."""
        return Model(likelihood="beta_alpha_beta")

    def moments(self, mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return E and V of rho."""
        return alpha_beta_moments(mean, variance)

    def quantiles(
        self, mean: FloatArray, variance: FloatArray, levels: tuple[float, ...]
    ) -> FloatArray:
        """Return quantiles of the mixture of Betas."""
        return mixture_quantiles("alpha_beta", mean, variance, levels)

    def rates(self, draws: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one Beta draw for each draw of (f, g)."""
        alpha, beta = np.logaddexp(0.0, draws)
        return mixture_draws(alpha, beta, rng)
