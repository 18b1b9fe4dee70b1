"""``Kinds``: the mix of rows apart from the service that answers them.

Where more rows come of arms that were hard before, a slice of several arms gets less accurate
though the service is what it was. So an alarm also takes evidence that holds the mix fixed: every
later label is held against what its own arm was in the baseline, as the default estimator says, up
to one turn of all arms that the baseline's labels leave open. Arms of like accuracy are one kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.stream import Stream

__all__ = ["Kinds"]

_MOST_KINDS = 12
"""Kinds of arms: within one of a dozen parts of the labels accuracies differ by little."""
_SCORE = "score of the baseline"


@dataclass(frozen=True, eq=False)
class Kinds:
    """Arms by how accurate they were in the baseline.

    Parameters
    ----------
    of
        The kind of each label, (N,).
    angles
        Angle of each kind's accuracy, arcsin of its root, (G,).
    """

    of: IntArray
    angles: FloatArray

    @classmethod
    def of_baseline(cls, stream: Stream, how: How) -> Kinds:
        """Return the kinds of all labels, given those of the baseline."""
        space, n = stream.space, stream.n_baseline
        arms, at = np.unique(space.arm_index(stream.codes), return_inverse=True)
        every = space.frame(arms)
        asked = replace(how, target="population")
        rows = every[at[:n]].with_columns(pl.Series(_SCORE, stream.scores[:n]))
        surface = fit_surface(Columns(space.attributes, _SCORE), rows, every, asked)
        mean = surface.mean[np.searchsorted(surface.arms, arms)][at]
        order = np.sort(mean)
        bounds = np.unique(order[np.arange(_MOST_KINDS) * mean.size // _MOST_KINDS])
        kind = np.searchsorted(bounds, mean, side="right") - 1
        middle = np.bincount(kind, mean) / np.bincount(kind)
        return cls(kind.astype(np.int64), np.arcsin(np.sqrt(np.clip(middle, 0.0, 1.0))))
