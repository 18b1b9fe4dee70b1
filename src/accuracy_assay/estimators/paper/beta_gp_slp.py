"""BetaGP-SLP: BetaGP-SL that fits sparse arms to the pooled observations of their neighbours.

An observed arm with fewer than five labels enters the likelihood with the kernel-weighted mean
of its own counts and those of its three nearest observed arms (section 3.3). Without its own, its
labels would be lost. Neighbours and weights follow the kernel as it is learned. The counts before
pooling supervise the scale. Other arms have nothing to smooth and are left alone. The research
code counts the arm as the first of the three, gives them equal weights and pools up to five
labels: ``Pooling(threshold=5.5, n_neighbours=2, use_kernel=False)``.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from accuracy_assay.estimators.paper.beta_gp_sl import BetaGPSL
from accuracy_assay.numerics.paper.pooling import Pooling
from accuracy_assay.numerics.paper.svgp import Model

__all__ = ["BetaGPSLP"]


@dataclass(frozen=True, kw_only=True)
class BetaGPSLP(BetaGPSL):
    """Pool sparse observations before fitting BetaGP-SL.

    Parameters
    ----------
    pooling
        Threshold, neighbours and weights.
    """

    pooling: Pooling = field(default_factory=Pooling)

    name: ClassVar[str] = "beta-gp-slp"

    def model(self) -> Model:
        """Return the Beta-binomial model with scale supervision and pooling."""
        return super().model()._replace(pooling=self.pooling)
