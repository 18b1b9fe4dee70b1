"""What an estimator leaves for a strategy: the joint posterior of the pool's cells.

Notation: T occupied cells of the pool, in the order of the support; eta their latent logits with
posterior covariance C (T, T); rho the accuracies with means ``rate``; ``slope`` = d rho / d eta,
matched so that slope^2 Var(eta) = Var(rho).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accuracy_assay.support import Support

__all__ = ["CellPosterior"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CellPosterior:
    """The joint posterior of the pool's cells.

    Parameters
    ----------
    support
        The pool.
    rate, slope
        Posterior mean of each cell's accuracy and its slope in eta, (T,).
    labelled
        Labels in each cell, (T,); zero where attributes are only guessed.
    covariance
        Function of cell positions (m,), (n,) that returns the block (m, n) of C.
    """

    support: Support
    rate: FloatArray
    slope: FloatArray
    labelled: FloatArray
    covariance: Callable[[IntArray, IntArray], FloatArray]

    @property
    def unlabelled(self) -> FloatArray:
        """Pool rows of each cell that have no label, (T,)."""
        return np.maximum(self.support.size - self.labelled, 0.0)
