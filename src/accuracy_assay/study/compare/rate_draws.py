"""Joint draws of a surface's arms that are independent of another surface's."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.intervals.logit_normal import match_moments
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["draw_arms"]

_DRAWS = 512
"""As many as a surface has."""


def draw_arms(surface: AccuracySurface, rng: np.random.Generator) -> FloatArray:
    """Return joint draws of the listed arms whose means are the surface's, (S, A)."""
    if surface.draws is None:
        m, s = match_moments(surface.mean, surface.sd**2)
        drawn = expit(m + s * rng.standard_normal((_DRAWS, m.size)))
    else:
        made = surface.joint_draws
        assert made is not None
        drawn = rng.permutation(made.astype(np.float64))
    return np.asarray(np.clip(drawn + (surface.mean - drawn.mean(axis=0)), 0.0, 1.0))
