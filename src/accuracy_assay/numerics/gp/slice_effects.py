"""Effects of a few slices on top of the kernel: every cell of a slice moves by the same logits.

Notation: see the sub-package. A slice S names codes of a few attributes; its effect is normal
around zero with variance t, so it adds t 1_S 1_S' to K. Cells hold their loadings, sqrt(t) inside
the slice and 0 outside, in a fixed number of columns: models with one effect and with eight run
the same compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from accuracy_assay.numerics.gp.anova import CellArrays
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import put

__all__ = ["MOST_EFFECTS", "SliceEffect", "with_effects"]

MOST_EFFECTS = 8
"""Most slices with an effect in one model, and columns of the loadings."""


@dataclass(frozen=True, slots=True)
class SliceEffect:
    """A slice with an effect.

    Parameters
    ----------
    columns, codes
        Attributes by position, and codes of their values.
    variance
        Prior variance of the effect.
    log_odds
        Log prior odds that the slice has one.
    """

    columns: tuple[int, ...]
    codes: tuple[int, ...]
    variance: float
    log_odds: float

    def loadings(self, codes: FloatArray) -> FloatArray:
        """Return the loading of cells with these codes, (J,)."""
        inside = np.all(codes[:, self.columns] == np.asarray(self.codes), axis=1)
        return np.asarray(np.sqrt(self.variance) * inside)


def with_effects(cells: CellArrays, effects: Sequence[SliceEffect]) -> CellArrays:
    """Return the cells with their loadings on the effects, or none if there are no effects."""
    if not effects:
        return cells._replace(slices=None)
    codes = np.asarray(cells.codes)
    loadings = np.zeros((codes.shape[0], MOST_EFFECTS))
    for k, effect in enumerate(effects):
        loadings[:, k] = effect.loadings(codes)
    return cells._replace(slices=put(loadings))
