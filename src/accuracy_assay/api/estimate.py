"""``estimate``: from labelled rows to an accuracy surface, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from accuracy_assay.agreement import Agreement, check_scores, score_column
from accuracy_assay.api.prepare import refuse_leak, resolve_space
from accuracy_assay.build import build_estimator
from accuracy_assay.observations import Observations
from accuracy_assay.protocols import Estimator
from accuracy_assay.space import Attribute, AttributeSpace
from accuracy_assay.support import Support, stratify
from accuracy_assay.surface import AccuracySurface
from accuracy_assay.tables import Rows, read_table, require_columns

__all__ = ["Target", "estimate"]

Target = Literal["pool", "population"]


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
        the composition of its signals. By default the labelled rows are all that is known.
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

    Returns
    -------
    AccuracySurface

    Raises
    ------
    InputError
        If a column is unknown, a score outside [0, 1], or the space cannot be built.
    """
    labelled = read_table(rows)
    everything = labelled if pool is None else read_table(pool, what="pool")
    names = [a if isinstance(a, str) else a.name for a in attributes]
    signals = list(signals or ())
    wanted = [score] if score is not None else [c for c in (y_true, y_pred) if c is not None]
    require_columns(labelled, [*names, *wanted, *signals])
    require_columns(everything, [*names, *signals], what="pool")

    scores = score_column(labelled, score=score, y_true=y_true, y_pred=y_pred, agree=agreement)
    refuse_leak(labelled, scores, names, signals, y_true=y_true, y_pred=y_pred)
    groups = _group(labelled.select(*names, *signals).with_columns(scores), [*names, *signals])
    _check_groups(groups, scores)
    sizes = groups if pool is None else everything.group_by([*names, *signals]).agg(n=pl.len())

    space = resolve_space(attributes, sizes, *(() if pool is None else (groups,)))
    strata = stratify(everything, signals)
    is_pool = (pool is not None) if target is None else target == "pool"
    support = Support.count(
        space, strata, _cells(space, strata, sizes), sizes.get_column("n"), is_pool=is_pool
    )
    observations = Observations.exact(
        support,
        _cells(space, strata, groups),
        groups.get_column("n"),
        groups.get_column("sum"),
        groups.get_column("sum_sq"),
        prior_strength,
    )
    return build_estimator(estimator).fit(observations, np.random.default_rng(seed))


def _group(frame: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Sum the scores of equal rows: one pass over the table, all later work is per group."""
    value = pl.col("score")
    return frame.group_by(by).agg(
        n=pl.len(),
        sum=value.sum(),
        sum_sq=(value * value).sum(),
        low=value.min(),
        high=value.max(),
    )


def _check_groups(groups: pl.DataFrame, scores: pl.Series) -> None:
    """Look for the bad score row by row only where a group shows that there is one."""
    is_fine = pl.col("sum").is_finite() & (pl.col("low") >= 0.0) & (pl.col("high") <= 1.0)
    if scores.null_count() or not groups.select(is_fine.all()).item():
        check_scores(scores.to_numpy())


def _cells(
    space: AttributeSpace, strata: AttributeSpace | None, frame: pl.DataFrame
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    arms = space.arm_index(space.encode(frame))
    if strata is None:
        return arms
    return arms * strata.n_arms + strata.arm_index(strata.encode(frame))
