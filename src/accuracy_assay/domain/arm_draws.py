"""Joint draws of a surface's arms, also where the estimator gave none.

Averages move draws to where their means are those of the surface; so does everything else that is
worked out draw by draw, so that all of it agrees.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.averages import ListedArms
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["draws_of"]

_MADE_DRAWS = 512
"""Draws of arms that are independent, as many as the default estimator keeps of its own."""


def draws_of(of: ListedArms) -> FloatArray:
    """Return joint draws of the listed arms whose means are the surface's, (S, A).

    Arms without draws are independent normal variables. Moved draws may lie a little outside
    [0, 1], which keeps their averages right.
    """
    known = of.joint_draws
    if known is None:
        z = np.random.default_rng(0).standard_normal((_MADE_DRAWS, of.arms.size))
        draws = of.mean + of.sd * z
    else:
        draws = known.astype(np.float64)
    return np.asarray(draws + (of.mean - draws.mean(axis=0)))
