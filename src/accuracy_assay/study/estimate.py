"""``estimate``: from labelled rows to an accuracy surface, in one call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, check_scores, score_column
from accuracy_assay.domain.cells import Support, stratify
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns, require_unique
from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import build_estimator
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.prepare import (
    Target,
    attribute_names,
    check_target,
    refuse_leak,
    resolve_space,
    signal_names,
)

__all__ = ["estimate"]

_N, _SUM, _SUM_SQ = "__assay_n", "__assay_score", "__assay_score_sq"


def estimate(
    rows: Rows,
    attributes: Sequence[str | Attribute],
    score: str | None = None,
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: str | Agreement = "equal",
    pool: Rows = None,
    signals: Sequence[str] | None = None,
    estimator: str | Estimator = "anova-gp",
    seed: int = 0,
    target: Target | None = None,
    prior_strength: float = 0.1,
    id: str | None = None,
) -> AccuracySurface:
    """Estimate the accuracy of a service over attribute combinations.

    Parameters
    ----------
    rows
        Labelled rows: a pandas, Polars or PyArrow frame, or a CSV, JSONL or Parquet path.
    attributes
        Columns that span the surface, by name or as ``Attribute`` values.
    score
        Column with the agreement of each row, in [0, 1] or boolean.
    y_true, y_pred, agreement
        Instead of ``score``: columns of truth and prediction and how they are compared
        (``equal``, ``bleu``, ``wer``, ``module:function`` or a function).
    pool
        All rows, labelled ones among them, that define the space, the support of each arm and
        the composition of its signals. By default the labelled rows are all that is known. A
        cell with more labels than pool rows is taken to have as many rows as labels.
    signals
        Columns that are known for every pool row without a label, such as the predicted class or
        the confidence of the service. They sharpen the estimate and are averaged out of it.
    estimator
        A name from the registry or an ``Estimator``.
    seed
        Seed of all randomness.
    target
        ``"pool"`` for the accuracy of the pool's own rows (the default where a pool is given),
        ``"population"`` for the rate behind them.
    prior_strength
        Pseudo-labels that the paper's estimators give to every arm.
    id
        Column that identifies a row; a value that occurs twice is refused.

    Returns
    -------
    AccuracySurface

    Raises
    ------
    InputError
        If a column is unknown, a score outside [0, 1], or the space cannot be built.
    """
    fitted_by = build_estimator(estimator)
    names = attribute_names(attributes)
    columns = [*names, *(free := signal_names(signals, names, score))]
    if target is not None:
        check_target(target)
    labelled = read_table(rows)
    everything = labelled if pool is None else read_table(pool, what="pool")
    scored_by = (y_true, y_pred) if score is None else (score,)
    require_columns(labelled, [*columns, *(c for c in (*scored_by, id) if c is not None)])
    require_columns(everything, [*columns, *([id] if id else [])], what="pool")
    if id is not None:
        require_unique(labelled.get_column(id))
        require_unique(everything.get_column(id), what="pool")

    scores = score_column(labelled, score=score, y_true=y_true, y_pred=y_pred, agree=agreement)
    refuse_leak(labelled, scores, names, free, y_true=y_true, y_pred=y_pred)
    groups = _group(labelled.select(columns), scores)
    sizes = groups if pool is None else everything.group_by(columns).agg(pl.len().alias(_N))
    space = resolve_space(attributes, sizes, *(() if pool is None else (groups,)))
    strata = stratify(everything, free)
    cells = _cells(space, strata, groups, labelled)
    n_labels = groups.get_column(_N).to_numpy()
    support = Support.count(
        space,
        strata,
        cells if pool is None else _cells(space, strata, sizes, everything),
        sizes.get_column(_N),
        is_pool=(pool is not None) if target is None else target == "pool",
    )
    observations = Observations.exact(
        support if pool is None else support.with_at_least(cells, n_labels),
        cells,
        n_labels,
        groups.get_column(_SUM),
        groups.get_column(_SUM_SQ),
        prior_strength,
    )
    return fitted_by.fit(observations, np.random.default_rng(seed))


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


def _cells(
    space: AttributeSpace,
    strata: AttributeSpace | None,
    groups: pl.DataFrame,
    rows: pl.DataFrame,
) -> IntArray:
    """Return the cell of each group; an error names the row of ``rows`` that is at fault."""
    try:
        arms = space.arm_index(space.encode(groups))
        if strata is None:
            return arms
        return arms * strata.n_arms + strata.arm_index(strata.encode(groups))
    except InputError:
        space.encode(rows)
        if strata is not None:
            strata.encode(rows)
        raise
