"""The estimator of ``aaa-2021``: BetaGP-SLP with the settings that the paper's text gives.

Steps (1,000, then 50 for every 12 labels), inducing points (50), size of the embedding (20),
lambda and the learning rate (0.001) are those of its appendix C; f and g have mean zero; kappa
comes from the first labels, the seed set D of algorithm 1. The embedding has the hidden layers of
the joint potential's network; with exact attributes there is no such network, and layers of the
research code's widths start at random. ``docs/the-papers-system.md`` lists every choice that the
text leaves open.
"""

from dataclasses import dataclass
from typing import ClassVar

from accuracy_assay.estimators.paper.beta_gp_slp import BetaGPSLP

__all__ = ["AAA2021"]


@dataclass(frozen=True, kw_only=True)
class AAA2021(BetaGPSLP):
    """BetaGP-SLP as in the paper's text; parameters are those of `BetaGPSLP`."""

    learning_rate: float = 1e-3
    hidden_widths: tuple[int, ...] = (10, 20)

    name: ClassVar[str] = "aaa-2021"
