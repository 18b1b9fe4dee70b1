"""Judges of a session that scored only some rows: they count as in ``estimate``.

The others get the opinion of a row like them (`study.read.part_opinions`), which takes labels, so
these judges come in when a surface is fitted. Where rows without an opinion cannot be compared
with others, a judge counts once it has scored every row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from accuracy_assay.domain.judges import opinions, refuse_copies, with_ordered_scores
from accuracy_assay.session.pool_answers import n_given
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.service_problem import (
    PREDICTION,
    Labels,
    Predictions,
    ServiceProblem,
)
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.part_opinions import PartOpinions, why_too_few

__all__ = ["is_part", "may_be_part", "opinions_of", "with_part_judges"]


def may_be_part(spec: Spec, rows: AssayRows) -> bool:
    """Return whether rows without an opinion can be compared with others."""
    is_exact = not any(a.evidence or a.from_label or a.missing == "guess" for a in spec.attribute)
    is_kept = rows.kept is not None and rows.kept.cells is not None
    return is_exact and spec.pool.cluster is None and not is_kept


def is_part(said: Predictions, rows: AssayRows) -> bool:
    """Return whether a judge has scored some rows, but not all."""
    return 0 < n_given(said) < rows.n_rows


def opinions_of(said: Predictions, name: str, ids: Sequence[str]) -> pl.Series:
    """Return what a judge says of some instances, null where it says nothing."""
    texts = pl.Series([(said[i][0] or None) if i in said else None for i in ids], dtype=pl.String)
    known = texts.is_not_null()
    given = opinions(texts.filter(known).to_list(), name)
    place = known.cum_sum().cast(pl.Int64) - 1
    return pl.select(pl.when(known).then(given.gather(place.clip(0)))).to_series().alias(name)


def with_part_judges(
    found: ServiceProblem,
    labels: Labels,
    predictions: Predictions,
    said: Mapping[str, Predictions],
) -> ServiceProblem:
    """Return the problem with these judges among its signals, given the labels so far.

    Judges who have scored too few of the labelled rows are left out.
    """
    rows, spec, service = found.rows, found.spec, found.service
    at, score = sorted(labels), np.full(rows.n_rows, np.nan)
    made = [opinions_of(each, name, rows.ids) for name, each in said.items()]
    made = [column for column in made if _counts(column, at, rows.n_pool)]
    if not made:
        return found
    score[at] = found.scores(at, labels, predictions)
    own = found.signal_table
    if service.signals is None and PREDICTION in own.columns:
        own = own.drop(PREDICTION)
    table = pl.DataFrame([*own.get_columns(), *made])
    partly = [column.name for column in made]
    refuse_copies(table[at], pl.Series(score[at]), partly)
    judges = [j.name for j in spec.judges_of(service) if j.name in table.columns]
    others = [name for name in table.columns if name not in judges]
    (table,) = with_ordered_scores([table.select(*others, *judges)], judges)
    free = tuple(name for name in table.columns if name not in partly)
    arm, n_pool = found.problem.arms.labelled().indices, rows.n_pool
    known = PartOpinions(table, arm, score, n_pool, free, tuple(partly))
    filled = table.with_columns(known.filled().get_columns())
    whole = ServiceProblem.of_signals(spec, service, rows, found.problem.arms, filled)
    whole = replace(whole, judged=known.judged)
    strata, problem = whole.problem.strata, whole.problem
    if strata is None:
        return whole
    every = [table[:n_pool].with_columns(each.get_columns()) for each in known.redrawn()]
    drawn = [strata.arm_index(strata.encode(each)) for each in every]
    support = problem.support.with_other_strata(arm[:n_pool], drawn)
    return replace(whole, problem=replace(problem, support=support))


def _counts(said: pl.Series, labelled: list[int], n_pool: int) -> bool:
    n_scored, both = said[:n_pool].count(), said[labelled].count()
    return why_too_few(n_scored, both, len(labelled), n_pool) is None
