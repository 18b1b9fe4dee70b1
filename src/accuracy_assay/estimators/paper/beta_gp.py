"""BetaGP: a Beta density at each arm, its mean and scale smoothed by two Gaussian processes.

rho_a ~ Beta(phi_a psi_a, (1 - phi_a) psi_a), phi_a = sigmoid(f_a), psi_a = softplus(g_a)
(equations (model) to (priors)); the likelihood of an arm is the Beta-binomial (pointLLSimple) with
fractional counts. E[rho] and V[rho] are equations (our:est) and (mean_variance).

If the research code departs from the text, the text wins: phi = sigmoid(f) rather than
sigmoid(6 f - 3), lambda as pseudo-counts, f and g integrated independently, V with Var[phi].
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import expit

from accuracy_assay.estimators.paper.variational import VariationalGP
from accuracy_assay.numerics.paper.beta_mixture import mixture_draws, mixture_quantiles
from accuracy_assay.numerics.paper.beta_moments import mean_scale_moments
from accuracy_assay.numerics.paper.scale import GivenScale
from accuracy_assay.numerics.paper.svgp import Model
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["BetaGP"]


@dataclass(frozen=True, kw_only=True)
class BetaGP(VariationalGP):
    """Smooth the mean and the scale of a Beta over arms.

    Parameters
    ----------
    scale
        ``learned``, or given outright, for experiments: the ``constant`` scale_level, or
        scale_level times n_a over the mean of n, the ``share`` that supervision aims at.
    scale_level
        Level of a given scale.
    """

    scale: Literal["learned", "constant", "share"] = "learned"
    scale_level: float = 10.0

    name: ClassVar[str] = "beta-gp"

    def model(self) -> Model:
        """Return the Beta-binomial model in mean and scale."""
        return Model(likelihood="beta_mean_scale", given_scale=self._given_scale())

    def _given_scale(self) -> GivenScale | None:
        return None if self.scale == "learned" else GivenScale(self.scale, self.scale_level)

    def moments(self, mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return E and V of rho."""
        return mean_scale_moments(mean, variance)

    def quantiles(
        self, mean: FloatArray, variance: FloatArray, levels: tuple[float, ...]
    ) -> FloatArray:
        """Return quantiles of the mixture of Betas."""
        return mixture_quantiles("mean_scale", mean, variance, levels)

    def rates(self, draws: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one Beta draw for each draw of (f, g)."""
        phi, psi = expit(draws[0]), np.logaddexp(0.0, draws[1])
        return mixture_draws(phi * psi, (1.0 - phi) * psi, rng)
