"""Strata of the free signals: what a service says about its own answers, cut into a few classes.

A signal is a column that is known for every pool row without a label: the predicted class, the
confidence. Its strata divide the arms into cells (`accuracy_assay.domain.cells`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import normal_column, require_plain
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["CROWD", "FEW_NUMBERS", "MOST_CLASSES", "clusters_of", "stratify", "stratify_one"]

CROWD = "answers of the annotators"
"""Name of the signal that people's answers make (`accuracy_assay.numerics.crowd.standing`)."""
_CROWD_EDGES = tuple(np.arange(-3.75, 1.6, 0.75).tolist())
"""Where it is cut: at equal steps, since the logit of an accuracy is about linear in it."""
_STRATUM_RANKS = (0.02, 0.05, 0.10, 0.15, 0.20, 0.30, 0.50, 0.75)
"""Quantiles at which numbers are cut, chosen by hand: fine where confidence is low, since that is
where services err. docs/decisions/0004 has the gain of strata."""
_COMMON_SHARE = 0.02
"""Share of the pool from which a value has its own stratum: that of the smallest stratum between
quantiles. docs/decisions/0004 has the gain."""
FEW_NUMBERS = 20
"""Up to this many distinct numbers are classes. Chosen by hand: about twice as many as the strata
that cutting would leave."""
MOST_CLASSES = 200
"""Most classes of a signal. Chosen by hand: more is a column of texts or ids by mistake, and each
class multiplies the cells."""


def stratify(
    pool: pl.DataFrame, signals: Sequence[str], cluster: pl.Series | None = None
) -> AttributeSpace | None:
    """Return the space of the signals' strata: classes as they are, numbers cut at quantiles.

    Numbers are cut at the 2, 5, 10, 15, 20, 30, 50 and 75% quantiles of the pool. A value that
    many rows share, such as a confidence of 0 for "nothing recognised", is its own stratum, and so
    is a class that is missing, such as the prediction of a service that did not answer.
    Classes with a declared order (`polars.Enum`) keep it, as numbers do. A signal that never
    varies is left out. ``cluster``, the column of rows that belong together (of the pool and all
    other labelled rows), divides arms in the same way and comes last.
    """
    attributes = [a for a in (stratify_one(pool.get_column(s)) for s in signals) if a]
    if cluster is not None:
        attributes.append(clusters_of(cluster))
    return AttributeSpace(tuple(attributes)) if attributes else None


def clusters_of(column: pl.Series, count: pl.Series | None = None) -> Attribute:
    """Return the clusters that a column names; ``count`` is the number of rows of each entry.

    Raises
    ------
    InputError
        If a row has no cluster, or all rows have the same.
    """
    require_plain(column, "cluster")
    texts = normal_column(column)
    if texts.null_count():
        n_missing = texts.null_count() if count is None else count.filter(texts.is_null()).sum()
        raise InputError(
            f"cluster {column.name!r} must be known for every row; got {n_missing} without a "
            "value. Give each its own, such as its id."
        )
    values = texts.unique().sort().to_list()
    if len(values) < 2:
        raise InputError(
            f"cluster {column.name!r} must have at least two values; got {values!r}. Leave it "
            "out: one cluster says nothing about how clusters differ."
        )
    return Attribute(column.name, tuple(values), kind="cluster")


def stratify_one(column: pl.Series, n_distinct: int | None = None) -> Attribute | None:
    """Return the strata of one signal, None if it never varies.

    ``n_distinct`` is the number of distinct values, if already counted. The column must hold each
    of them, or all rows if it holds numbers that will be cut.
    """
    n_distinct = column.n_unique() if n_distinct is None else n_distinct
    are_numbers = column.dtype.is_numeric() and (
        n_distinct > FEW_NUMBERS or column.dtype.is_float()
    )
    is_known = not column.null_count()
    if are_numbers and not (is_known and column.is_finite().all()):
        raise InputError(
            f"signal {column.name!r} must be known for every pool row; got a missing or "
            "non-finite value. Fill it, for example with the lowest confidence."
        )
    if n_distinct < 2:
        return None
    if column.name == CROWD:
        return Attribute(column.name, kind="log-odds", edges=_CROWD_EDGES)
    if isinstance(column.dtype, pl.Enum) and is_known:
        ordered = tuple(column.dtype.categories)
        if len(ordered) <= MOST_CLASSES:
            return Attribute(column.name, ordered, kind="ordinal")
    if not column.dtype.is_numeric() or n_distinct <= FEW_NUMBERS:
        if n_distinct > MOST_CLASSES:
            raise InputError(
                f"signal {column.name!r} must be a number or have at most "
                f"{MOST_CLASSES} classes; got {n_distinct} distinct values."
            )
        return Attribute.infer(column, kind="categorical", missing=None if is_known else "value")
    edges = _quantile_edges(column.to_numpy().astype(np.float64))
    return Attribute(column.name, kind="continuous", edges=tuple(edges.tolist()))


def _quantile_edges(numbers: FloatArray) -> FloatArray:
    """Return increasing cut points; a value that many rows share gets its own stratum."""
    ordered = np.sort(numbers)
    cuts = ordered[np.ceil((ordered.size - 1) * np.asarray(_STRATUM_RANKS)).astype(np.int64)]
    end = np.searchsorted(ordered, cuts, side="right")
    is_common = end - np.searchsorted(ordered, cuts) >= _COMMON_SHARE * ordered.size
    above = end[is_common]
    edges = np.union1d(cuts, ordered[above[above < ordered.size]])
    edges = edges[edges > ordered[0]]
    rest: FloatArray = ordered[ordered > ordered[0]]
    return edges if edges.size else rest[:1]
