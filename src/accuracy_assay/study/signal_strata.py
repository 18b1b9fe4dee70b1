"""What a free signal reveals: the accuracy in each of its strata, as a surface has it.

A surface averages signals out; the cells behind it still know them. Of referees this says how
accurate the service is where all agree and where none does.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from accuracy_assay.domain.posterior import HasPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.grouping import sum_by_group

__all__ = ["accuracy_by_stratum"]


def accuracy_by_stratum(surface: AccuracySurface, signal: str) -> pl.DataFrame | None:
    """Return the accuracy in each stratum of a signal, in the order of the strata.

    Parameters
    ----------
    surface
        A surface as its estimator made it, with the memory of its cells.
    signal
        Name of the signal.

    Returns
    -------
    polars.DataFrame or None
        ``stratum``, ``rows`` of the pool, ``labels`` and ``accuracy``, the mean of the cells'
        estimates over the pool rows there. None where the surface knows nothing of the signal.
    """
    memory = surface.memory
    if not isinstance(memory, HasPosterior):
        return None
    posterior = memory.posterior
    strata = posterior.support.strata
    if strata is None or signal not in strata.names:
        return None
    attribute = strata.attribute(signal)
    codes = strata.codes(posterior.support.cells % posterior.support.n_strata)
    group = codes[:, strata.names.index(signal)]
    n_groups = len(attribute.values)
    size = posterior.support.size
    rows, labels, right = (
        sum_by_group(group, part, n_groups)
        for part in (size, posterior.labelled, size * posterior.rate)
    )
    kept = np.flatnonzero(rows > 0.0)
    return pl.DataFrame(
        {
            "stratum": [str(attribute.values[k]) for k in kept],
            "rows": rows[kept],
            "labels": labels[kept],
            "accuracy": right[kept] / rows[kept],
        }
    )
