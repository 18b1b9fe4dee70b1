"""Labelled rows and a pool whose attributes are all known: from tables to observations.

Equal rows are merged first, in one pass over each table; all later work is per group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.strata import stratify
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.prepare import attribute_names, cluster_column, resolve_space
from accuracy_assay.study.read.problem import Problem

__all__ = ["ExactTables", "Groups", "observe_groups"]

_N, _SUM, _SUM_SQ = "__assay_n", "__assay_score", "__assay_score_sq"


@dataclass(frozen=True)
class ExactTables:
    """The labelled rows and the pool, None where the labelled rows are all there is.

    Parameters
    ----------
    labelled, pool
        The tables.
    attributes
        Columns that span the surface, or declared attributes.
    signals, cluster
        Columns of the free signals; the column of rows that belong together in a list, empty
        where rows are independent.
    scores
        The score of each labelled row.
    weight
        Column of the pool that says how many rows each of its rows stands for.
    """

    labelled: pl.DataFrame
    pool: pl.DataFrame | None
    attributes: Sequence[str | Attribute]
    signals: Sequence[str]
    cluster: Sequence[str]
    scores: pl.Series
    weight: str | None = None

    def observe(self, is_pool: bool, prior_strength: float) -> Observations:
        """Return the observations; ``is_pool`` says that accuracies are the pool rows' own."""
        columns = [*attribute_names(self.attributes), *self.signals, *self.cluster]
        groups = _group(self.labelled.select(columns), self.scores)
        parts = [(groups, self.labelled)]
        if self.pool is not None:
            size = pl.len() if self.weight is None else pl.col(self.weight).sum()
            sizes = self.pool.group_by(columns).agg(size.alias(_N))
            parts.insert(0, (sizes, self.pool))
        space = resolve_space(self.attributes, *(part for part, _ in parts))
        clusters = cluster_column(self.cluster, *(whole for _, whole in parts))
        strata = stratify(parts[0][1], self.signals, clusters)
        return observe_groups(
            Groups(
                space,
                np.concatenate([_encode(space, part, whole) for part, whole in parts]),
                strata,
                None
                if strata is None
                else np.concatenate([_stratum(strata, part, whole) for part, whole in parts]),
            ),
            parts[0][0].get_column(_N),
            groups.select(_N, _SUM, _SUM_SQ),
            is_pool=is_pool,
            prior_strength=prior_strength,
        )


class Groups(NamedTuple):
    """Groups of equal rows, the pool's first: their codes (n, K), and their strata (n,)."""

    space: AttributeSpace
    codes: IntArray
    strata: AttributeSpace | None
    stratum: IntArray | None


def observe_groups(
    groups: Groups,
    size: pl.Series,
    sums: pl.DataFrame,
    *,
    is_pool: bool,
    prior_strength: float,
) -> Observations:
    """Return the observations of counted groups.

    Parameters
    ----------
    groups
        The groups of the pool and after them, where they are others, of the labelled rows.
    size
        How many rows each group of the pool has.
    sums
        Of each group of labelled rows, the last ones: labels, sum of scores, and of squares.
    is_pool
        Whether accuracies are the pool rows' own.
    prior_strength
        See ``estimate``.
    """
    problem = Problem.build(
        Arms.exact(groups.space, groups.codes, size.len()),
        groups.strata,
        groups.stratum,
        count=size.to_numpy().astype(np.float64),
        is_pool=is_pool,
    )
    n_groups = groups.codes.shape[0]
    rows = np.arange(n_groups - sums.height, n_groups)
    n, total, squares = (column.to_numpy() for column in sums.get_columns())
    return problem.condensed(rows, total, n).observe_sums(
        rows, n, total, squares, prior_strength=prior_strength
    )


def _group(frame: pl.DataFrame, scores: pl.Series) -> pl.DataFrame:
    """Sum the scores of equal rows: one pass over the table, all later work is per group."""
    value = check_scores(scores.to_numpy())
    summed = frame.with_columns(scores.alias(_SUM))
    total = pl.col(_SUM).sum()
    if bool(np.all(value * value == value)):
        # Scores of 0 and 1 are their own squares.
        totals = summed.group_by(frame.columns).agg(pl.len().alias(_N), total)
        return totals.with_columns(pl.col(_SUM).alias(_SUM_SQ))
    squares = (pl.col(_SUM) * pl.col(_SUM)).sum().alias(_SUM_SQ)
    return summed.group_by(frame.columns).agg(pl.len().alias(_N), total, squares)


def _encode(space: AttributeSpace, groups: pl.DataFrame, whole: pl.DataFrame) -> IntArray:
    """Return the codes of the groups; an error names the row of the whole table at fault."""
    try:
        return space.encode(groups)
    except InputError:
        space.encode(whole)
        raise


def _stratum(strata: AttributeSpace, groups: pl.DataFrame, whole: pl.DataFrame) -> IntArray:
    return strata.arm_index(_encode(strata, groups, whole))
