"""What a free signal reveals: the accuracy in each of its strata.

A surface averages signals out; the cells behind it still have them. For referees this says how
accurate the service is if all agree and if none does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.strata import stratify
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.files.tables import Rows
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.estimate import split_options
from accuracy_assay.study.fit import fit_surface

__all__ = ["accuracy_by_row", "accuracy_by_stratum", "referee_report"]


def accuracy_by_stratum(surface: AccuracySurface, signal: str) -> pl.DataFrame | None:
    """Return the accuracy in each stratum of a signal, in the order of the strata.

    Returns
    -------
    polars.DataFrame or None
        ``stratum``, ``rows`` of the pool, ``labels`` and ``accuracy``, the mean of the cells'
        estimates over the pool rows there. None if the surface has no such signal or keeps no
        cells, as one from a file.
    """
    posterior = _posterior(surface)
    strata = None if posterior is None else posterior.support.strata
    if posterior is None or strata is None or signal not in strata.names:
        return None
    codes = strata.codes(posterior.support.cells % posterior.support.n_strata)
    group = codes[:, strata.names.index(signal)]
    size = posterior.support.size
    return _table(strata.attribute(signal), group, size, posterior.labelled, posterior.rate)


def referee_report(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    referees: Sequence[str] = (),
    pool: Rows = None,
    **options: Any,
) -> pl.DataFrame | None:
    """Return how accurate a service is by which referees agree with it.

    Parameters
    ----------
    rows, attributes, score, referees, pool, options
        As in ``estimate``; other signals and judges are left out of this fit.

    Returns
    -------
    polars.DataFrame or None
        As `accuracy_by_stratum`.
    """
    asked, how = split_options(attributes, score=score, referees=referees, **options)
    alone = replace(asked, signals=(), judges=(), answer_form=False)
    surface = fit_surface(alone, rows, pool, how)
    return accuracy_by_stratum(surface, REFEREES)


def accuracy_by_row(
    surface: AccuracySurface,
    cells: IntArray,
    n_strata: int,
    signal: pl.Series,
    is_labelled: BoolArray,
) -> pl.DataFrame | None:
    """Return the same from the pool's rows, even if the signal was condensed with others.

    ``cells`` (over ``n_strata``), ``signal`` and ``is_labelled`` are of each pool row, (n,).
    """
    posterior, strata = _posterior(surface), stratify(pl.DataFrame([signal]), [signal.name])
    if posterior is None or strata is None:
        return None
    own = posterior.own_cells(cells, n_strata)
    rate = posterior.rate[np.searchsorted(posterior.support.cells, own)]
    group = strata.encode(pl.DataFrame([signal]))[:, 0]
    one = np.ones(cells.shape)
    return _table(strata.attributes[0], group, one, is_labelled.astype(np.float64), rate)


def _posterior(surface: AccuracySurface) -> CellPosterior | None:
    memory = surface.memory
    return memory.posterior if isinstance(memory, HasPosterior) else None


def _table(
    signal: Attribute, group: IntArray, size: FloatArray, labelled: FloatArray, rate: FloatArray
) -> pl.DataFrame:
    """Return one row per stratum of a signal that has pool rows."""
    n_groups = len(signal.values)
    rows, labels, right = (
        sum_by_group(group, part, n_groups) for part in (size, labelled, size * rate)
    )
    kept = np.flatnonzero(rows > 0.0)
    return pl.DataFrame(
        {
            "stratum": [str(signal.values[k]) for k in kept],
            "rows": rows[kept],
            "labels": labels[kept],
            "accuracy": right[kept] / rows[kept],
        }
    )
