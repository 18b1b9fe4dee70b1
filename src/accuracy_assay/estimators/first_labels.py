"""The overall accuracy of the first fit, kept for the fits that follow.

Algorithm 1 of the paper takes kappa, the accuracy that every arm starts from, from the seed set D
alone. An estimator sees no seed set, but the first of several fits sees nothing else.
"""

from dataclasses import dataclass

__all__ = ["FirstLabels"]


@dataclass(frozen=True, eq=False)
class FirstLabels:
    """A surface's memory of the first labels: their mean agreement and their number."""

    kappa: float
    n_first: float
