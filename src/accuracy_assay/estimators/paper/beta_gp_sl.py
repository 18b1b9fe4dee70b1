"""BetaGP-SL: BetaGP whose scale is supervised by how many labels each arm has.

The objective gains log Dirichlet({n_a / n}; {psi_a}) with its normaliser (section 3.2). The shares
are those of the observed arms, the likeliest arms of some label. An arm without a label has no
observed share; lambda or a thousandth of a label instead spreads the shares so widely that no
smooth g fits them, and the scales collapse. ``supervised_arms="all"`` counts such arms
nevertheless. The research code has a Gamma log-density of clipped counts instead:
``supervision="gamma"``.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from accuracy_assay.estimators.paper.beta_gp import BetaGP
from accuracy_assay.numerics.paper.svgp import Model

__all__ = ["BetaGPSL"]


@dataclass(frozen=True, kw_only=True)
class BetaGPSL(BetaGP):
    """Supervise the scale of BetaGP by the counts.

    Parameters
    ----------
    supervision
        ``dirichlet`` (the text) or ``gamma`` (the research code).
    supervision_weight
        Weight of the term; one is the text's, zero is BetaGP.
    supervised_arms
        ``observed``, the likeliest arms of some label, or ``all``, with the count lambda for
        those without labels.
    """

    supervision: Literal["dirichlet", "gamma"] = "dirichlet"
    supervision_weight: float = 1.0
    supervised_arms: Literal["observed", "all"] = "observed"

    name: ClassVar[str] = "beta-gp-sl"

    def model(self) -> Model:
        """Return the Beta-binomial model with scale supervision."""
        return (
            super()
            .model()
            ._replace(
                supervision=self.supervision,
                supervision_weight=self.supervision_weight,
                supervise_rest=self.supervised_arms == "all",
            )
        )
