"""Joint draws of a surface's arms, even if the estimator gave none.

Draws are shifted so that their means are the surface's. Averages do the same, so whatever is
computed draw by draw agrees with them.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.averages import ListedArms
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["draws_of"]

_MADE_DRAWS = 512
"""Draws of independent arms: as many as the default estimator keeps."""


def draws_of(of: ListedArms, some: IntArray | None = None) -> FloatArray:
    """Return joint draws of listed arms, all or some, whose means are the surface's, (S, A).

    Arms without draws are independent normal variables. Shifted draws may lie a little outside
    [0, 1], which keeps their averages right.
    """
    known, at = of.joint_draws, slice(None) if some is None else some
    if known is None:
        z = np.random.default_rng(0).standard_normal((_MADE_DRAWS, of.arms.size))
        draws = (of.mean + of.sd * z)[:, at]
    else:
        draws = known[:, at].astype(np.float64)
    return np.asarray(draws + (of.mean[at] - draws.mean(axis=0)))
