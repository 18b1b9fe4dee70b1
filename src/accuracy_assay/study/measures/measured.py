"""A surface of another measure than accuracy: the rows that qualify, and how many the pool has.

Where columns that are known for the whole pool decide whether a row qualifies (a prediction), rows
and pool are filtered, and that is all. Where the truth decides it, nobody knows which rows of the
pool without a label qualify. Of a named measure (recall) whose predictions the pool has, rates are
then made from shares of truths (`study.measures.truth_rates`). Of any other, the share of an arm's
rows that qualify is estimated from the labels as well; the arm counts with the expected number of
its rows in averages, and its measure is the rate behind the pool. That supposes that within an arm
rows were labelled at random, and intervals do not hold what is not known of these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, is_missing, score_column
from accuracy_assay.domain.measure import ConfusionRate
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.study.measures.measure import Measure
from accuracy_assay.study.measures.truth_rates import PREDICTED, rates_of_truth
from accuracy_assay.study.read.prepare import part_unlabelled
from accuracy_assay.study.read.text_tables import AnyAttribute, TextTables, derive_values

__all__ = ["Scoring", "estimate_measure"]

_SCORE, _SHARE, _ROWS = "__assay_measured", "__assay_qualifies", "__assay_expected_rows"
_MOST_CLASSES = 20
"""Predicted classes up to which they are a signal for who qualifies, as in a session."""
_FEWEST_ROWS = 1e-9
"""Expected rows below which an arm has none: it is labelled throughout, and no row qualified."""


_UNKNOWN_IN_POOL = (
    *("signals", "referees", "judges", "answer_form", "cluster"),
    *("evidence", "from_label", "weight"),
)
"""Arguments of ``estimate`` that divide the rows of the pool, which is not possible for rows that
nobody knows."""

Fit = Callable[..., AccuracySurface]
"""``estimate``, handed down so that this module need not know it."""


@dataclass(frozen=True)
class Scoring:
    """What ``estimate`` was told of scores."""

    score: str | None
    y_true: str | None
    y_pred: str | None
    agreement: str | Agreement

    @property
    def of_labels(self) -> set[str]:
        """Columns that only a labelled row has."""
        return {column for column in (self.score, self.y_true) if column is not None}


def estimate_measure(
    measure: Measure,
    rows: Rows,
    attributes: Sequence[AnyAttribute],
    pool: Rows,
    scoring: Scoring,
    fit: Fit,
    options: Mapping[str, Any],
) -> AccuracySurface:
    """Estimate a measure over the rows that qualify.

    Parameters
    ----------
    measure, rows, attributes, pool, scoring
        What was asked for.
    fit, options
        ``estimate`` and its other arguments.

    Raises
    ------
    InputError
        If no labelled row qualifies, or an argument divides rows of the pool that nobody knows.
    """
    labelled = read_table(rows)
    everything = None if pool is None else read_table(pool, what="pool")
    scored_by = [c for c in (scoring.score, scoring.y_true, scoring.y_pred) if c is not None]
    require_columns(labelled, scored_by)
    labelled, everything = part_unlabelled(labelled, everything, scoring.score or scoring.y_true)
    qualifies = measure.qualifies(labelled)
    if not qualifies.any():
        raise InputError(
            f"some labelled row must qualify for {measure.words}; got none of {labelled.height}. "
            "Look at how classes are written."
        )
    scored = labelled.with_columns(
        _scores(measure, labelled, qualifies, scoring), qualifies.alias(_SHARE)
    )
    said: dict[str, Any] = {"measure": measure.words}
    if measure.is_error:
        said["is_error"] = True
    if measure.where is not None:
        said["where"] = measure.where.text
    if everything is None or _is_known(measure, everything, scoring):
        known = None if everything is None else everything.filter(measure.qualifies(everything))
        chosen = scored.filter(qualifies)
        return fit(chosen, attributes, _SCORE, pool=known, **options).with_details(**said)
    rate = measure.rule
    is_told_by_shares = _has_predictions(measure, everything, scoring)
    if isinstance(rate, ConfusionRate) and rate.decided_by == "truth" and is_told_by_shares:
        shares = _from_shares(measure, rate, scored, attributes, everything, fit, options)
        return shares.with_details(**said, rows_are_expected=True)
    _refuse_unusable(measure, options)
    made = derive_values(attributes, scored, everything)
    share, weighed = _expected_rows(made, scoring, fit, options)
    others = {**options, "weight": _ROWS, "target": "population"}
    chosen = read_table(made.rows).filter(pl.col(_SHARE))
    surface = fit(chosen, share.space.attributes, _SCORE, pool=weighed, **others)
    return surface.with_details(**said, rows_are_expected=True)


def _scores(
    measure: Measure, labelled: pl.DataFrame, qualifies: pl.Series, scoring: Scoring
) -> pl.Series:
    """Return the scores of the labelled rows; those that do not qualify have none."""
    own = measure.scores(labelled)
    if own is None:
        s = scoring
        own = score_column(
            labelled, score=s.score, y_true=s.y_true, y_pred=s.y_pred, agree=s.agreement
        )
    return own.zip_with(qualifies, pl.Series([None], dtype=own.dtype)).alias(_SCORE)


def _is_known(measure: Measure, pool: pl.DataFrame, scoring: Scoring) -> bool:
    """Return whether the pool tells which of its rows qualify."""
    needed = set(measure.deciding)
    return not needed & scoring.of_labels and needed <= set(pool.columns)


def _has_predictions(measure: Measure, pool: pl.DataFrame, scoring: Scoring) -> bool:
    """Return whether the pool tells what was predicted, and which rows a condition leaves."""
    needed = set(() if measure.where is None else measure.where.columns)
    if needed & scoring.of_labels or not needed <= set(pool.columns):
        return False
    said = measure.columns.y_pred
    return said in pool.columns and not is_missing(pool.get_column(said)).any()


def _from_shares(
    measure: Measure,
    rate: ConfusionRate,
    scored: pl.DataFrame,
    attributes: Sequence[AnyAttribute],
    pool: pl.DataFrame,
    fit: Fit,
    options: Mapping[str, Any],
) -> AccuracySurface:
    """Return the rates of rows that the truth chooses, where the pool has predictions."""
    truth, said = str(measure.columns.y_true), str(measure.columns.y_pred)
    scored, pool = (
        table.with_columns(rate.is_class(table, said).alias(PREDICTED.name))
        for table in (scored, pool)
    )
    scored = scored.with_columns(rate.is_class(scored, truth).alias(_SHARE))
    if measure.where is not None:
        scored, pool = (t.filter(measure.where.holds(t)) for t in (scored, pool))
    share = fit(scored, [*attributes, PREDICTED], _SHARE, pool=pool, **options)
    return rates_of_truth(share, is_of_class=rate.is_of_class, is_predicted=rate.counts_class)


def _expected_rows(
    made: TextTables, scoring: Scoring, fit: Fit, options: Mapping[str, Any]
) -> tuple[AccuracySurface, pl.DataFrame]:
    """Return the share of each arm's rows that qualify, and the pool's rows weighed by it."""
    pool = read_table(made.pool)
    signals = [scoring.y_pred] if _is_signal(pool, scoring.y_pred) else []
    others = {**options, "signals": signals, "y_pred": None, "target": "pool"}
    share = fit(made.rows, made.attributes, _SHARE, pool=pool, **others)
    arm = share.space.arm_index(share.space.encode(pool))
    rows = pl.Series(_ROWS, share.mean[np.searchsorted(share.arms, arm)])
    return share, pool.with_columns(rows).filter(pl.col(_ROWS) > _FEWEST_ROWS)


def _is_signal(pool: pl.DataFrame, column: str | None) -> bool:
    if column is None or column not in pool.columns or pool.get_column(column).null_count():
        return False
    return 1 < pool.get_column(column).n_unique() <= _MOST_CLASSES


def _refuse_unusable(measure: Measure, options: Mapping[str, Any]) -> None:
    given = [name for name in _UNKNOWN_IN_POOL if options.get(name)]
    if given:
        raise InputError(
            f"{given[0]} must be left out where the label decides which rows count for "
            f"{measure.words}; got {options[given[0]]!r}. Nobody knows which rows of the pool "
            "these are, and so neither how it divides them."
        )
    if options.get("target") == "pool":
        raise InputError(
            f"target must be 'population' where the label decides which rows count for "
            f"{measure.words}; got 'pool', whose rows that count nobody knows."
        )
