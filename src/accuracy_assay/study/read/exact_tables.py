"""Labelled rows and a pool whose attributes are all known: from tables to a problem.

Equal rows are merged first, in one pass over each table; all later work is per group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.strata import stratify
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import LabelledProblem, LabelledRows, Problem
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.tables import LabelledTables, cluster_column, weight_unit

__all__ = ["RowGroups", "problem_of_groups", "read_exact"]

_LEAST_SHARE = 1e-12
"""Smallest group of a weighted pool, relative to the largest: nobody can see less."""
_N, _SUM, _SUM_SQ = "__assay_n", "__assay_score", "__assay_score_sq"


def read_exact(tables: LabelledTables, is_pool: bool) -> LabelledProblem:
    """Return the problem; with ``is_pool`` accuracies are those of the pool's own rows."""
    columns = tables.columns
    belonging = [] if columns.cluster is None else [columns.cluster]
    keys = [*columns.names, *columns.signal_columns, *belonging]
    groups = _group(tables.labelled.select(keys), tables.scores)
    parts = [(groups, tables.labelled)]
    if tables.pool is not None:
        size = pl.len()
        if columns.weight is not None:
            weight = pl.col(columns.weight).cast(pl.Float64)
            size = (weight / weight_unit(tables.pool.select(weight.max()).item())).sum()
        parts.insert(0, (tables.pool.group_by(keys).agg(size.alias(_N)), tables.pool))
    space = resolve_space(columns.attributes, *(part for part, _ in parts))
    clusters = cluster_column(columns.cluster, *tables.parts)
    strata = stratify(parts[0][1], columns.signal_columns, clusters)
    stratum = None
    if strata is not None:
        codes = np.concatenate([_encode(strata, part, whole) for part, whole in parts])
        stratum = strata.arm_index(codes)
    codes = np.concatenate([_encode(space, part, whole) for part, whole in parts])
    sums = groups.select(_N, _SUM, _SUM_SQ)
    found = RowGroups(space, codes, strata, stratum)
    problem = problem_of_groups(found, parts[0][0].get_column(_N), sums, is_pool)
    if tables.redrawn and strata is not None:
        whole = tables.redrawn[0]
        others = [strata.arm_index(strata.encode(table)) for table in tables.redrawn]
        support = problem.problem.support
        support = support.with_other_strata(space.arm_index(space.encode(whole)), others)
        problem = replace(problem, problem=replace(problem.problem, support=support))

    def places() -> tuple[IntArray, IntArray]:
        of_rows = [_places(part, whole, keys) for part, whole in parts]
        return of_rows[0], of_rows[-1] + (codes.shape[0] - groups.height)

    return replace(problem, places=places)


class RowGroups(NamedTuple):
    """Groups of equal rows, the pool's first: their codes (n, K), and their strata (n,)."""

    space: AttributeSpace
    codes: IntArray
    strata: AttributeSpace | None
    stratum: IntArray | None


def problem_of_groups(
    groups: RowGroups, size: pl.Series, sums: pl.DataFrame, is_pool: bool
) -> LabelledProblem:
    """Return the problem of counted groups.

    Parameters
    ----------
    groups
        The groups of the pool, then those of the labelled rows if they differ.
    size
        Rows of each group of the pool.
    sums
        For each group of labelled rows, the last ones: labels, sum of scores, and of squares.
    is_pool
        As in `read_exact`.
    """
    problem = Problem.build(
        Arms.exact(groups.space, groups.codes, size.len()),
        groups.strata,
        groups.stratum,
        count=_at_least(size.to_numpy().astype(np.float64)),
        is_pool=is_pool,
    )
    n_groups = groups.codes.shape[0]
    rows = np.arange(n_groups - sums.height, n_groups)
    count, score, score_sq = (column.to_numpy() for column in sums.get_columns())
    return LabelledProblem(problem, LabelledRows(rows, score, count, score_sq))


def _at_least(size: FloatArray) -> FloatArray:
    """Return sizes of which none is so small beside the largest that its square is zero."""
    return np.maximum(size, _LEAST_SHARE * size.max()) if size.size else size


def _group(frame: pl.DataFrame, scores: pl.Series) -> pl.DataFrame:
    """Sum the scores of equal rows."""
    value = check_scores(scores.to_numpy())
    summed = frame.with_columns(scores.alias(_SUM))
    total = pl.col(_SUM).sum()
    if bool(np.all(value * value == value)):
        # Scores of 0 and 1 are their own squares.
        totals = summed.group_by(frame.columns).agg(pl.len().alias(_N), total)
        return totals.with_columns(pl.col(_SUM).alias(_SUM_SQ))
    squares = (pl.col(_SUM) * pl.col(_SUM)).sum().alias(_SUM_SQ)
    return summed.group_by(frame.columns).agg(pl.len().alias(_N), total, squares)


def _places(groups: pl.DataFrame, whole: pl.DataFrame, keys: list[str]) -> IntArray:
    """Return the group of each row of a table, (n,)."""
    known = groups.select(keys).with_row_index(_N)
    found = whole.select(keys).join(
        known, on=keys, how="left", nulls_equal=True, maintain_order="left"
    )
    return found.get_column(_N).cast(pl.Int64).to_numpy()


def _encode(space: AttributeSpace, groups: pl.DataFrame, whole: pl.DataFrame) -> IntArray:
    """Return the codes of the groups; an error names the row of the whole table."""
    try:
        return space.encode(groups)
    except InputError:
        space.encode(whole)
        raise
