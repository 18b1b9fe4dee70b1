"""BetaGP-SL: BetaGP whose scale is supervised by how many labels each arm has.

The objective gains log Dirichlet({n_a / n}; {psi_a}) with its normaliser (section 3.2). The counts
are those with lambda, so an arm without labels counts as lambda and is told to be vague. The
research code has a Gamma log-density of clipped counts instead: ``supervision="gamma"``.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from accuracy_assay.estimators.beta_gp import BetaGP
from accuracy_assay.numerics.svgp import Model

__all__ = ["BetaGPSL"]


@dataclass(frozen=True, kw_only=True)
class BetaGPSL(BetaGP):
    """Supervise the scale of BetaGP by the counts.

    Parameters
    ----------
    supervision
        ``dirichlet`` (the text) or ``gamma`` (the research code).
    """

    supervision: Literal["dirichlet", "gamma"] = "dirichlet"

    name: ClassVar[str] = "beta-gp-sl"

    def model(self) -> Model:
        """Return the Beta-binomial model with scale supervision."""
        return Model(likelihood="beta_mean_scale", supervision=self.supervision)
