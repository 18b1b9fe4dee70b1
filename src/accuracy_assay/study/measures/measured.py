"""A surface of a measure other than accuracy: the rows that qualify, and how many the pool has.

If columns known for the whole pool (a prediction) decide whether a row qualifies, rows and pool
are filtered, and that is all. If the truth decides, nobody knows which unlabelled rows of the pool
qualify. For a named measure (recall) of a pool with predictions, rates are then made from shares
of truths (`study.measures.truth_rates`). For any other, the share of an arm's rows that qualify is
estimated from the labels too: averages weight the arm by the expected number of these rows, and
its measure is the rate behind the pool. This assumes that rows within an arm were labelled at
random, and intervals do not include the uncertainty of these numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.measure import ConfusionRate
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.blank_texts import is_missing
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.measures.measure import Measure
from accuracy_assay.study.measures.truth_rates import PREDICTED, rates_of_truth
from accuracy_assay.study.read.annotations import settle_answers
from accuracy_assay.study.read.how import How, Target
from accuracy_assay.study.read.tables import part_unlabelled
from accuracy_assay.study.read.texts import Sources, derive_values

__all__ = ["estimate_measure"]

_SCORE, _SHARE, _ROWS = "__assay_measured", "__assay_qualifies", "__assay_expected_rows"
_MOST_CLASSES = 20
"""Predicted classes are a signal for who qualifies if there are at most this many, as in a
session."""
_FEWEST_ROWS = 1e-9
"""An arm with fewer expected rows has none: it is fully labelled, and no row qualified."""


_UNKNOWN_IN_POOL = (
    *("signals", "referees", "judges", "history", "answer_form", "cluster"),
    *("evidence", "from_label", "weight"),
)
"""Arguments of ``estimate`` that divide the rows of the pool, which is impossible for unknown
rows."""


def estimate_measure(measure: Measure, rows: Rows, pool: Rows, how: How) -> AccuracySurface:
    """Estimate a measure over the rows that qualify.

    Raises
    ------
    InputError
        If no labelled row qualifies, or a column would divide unknown rows of the pool.
    """
    columns, rows, pool, trust, _ = settle_answers(measure.columns, rows, pool)
    measure, asked = replace(measure, columns=columns), how.target
    how = how.about(pool)
    labelled = read_table(rows)
    everything = None if pool is None else read_table(pool, what="pool")
    require_columns(labelled, [c for c in (columns.score, columns.y_true, columns.y_pred) if c])
    labelled, everything = part_unlabelled(labelled, everything, columns.label)
    left_out = columns.missing_answers(labelled)
    labelled = columns.answered(labelled)
    everything = None if everything is None else columns.answered(everything)
    qualifies = measure.qualifies(labelled)
    if not qualifies.any():
        raise InputError(
            f"some labelled row must qualify for {measure.words}; got none of {labelled.height}. "
            "Check how classes are spelled."
        )
    scored = labelled.with_columns(_scores(measure, labelled, qualifies), qualifies.alias(_SHARE))
    said: dict[str, Any] = {"measure": measure.words}
    if measure.is_error:
        said["is_error"] = True
    if measure.where is not None:
        said["where"] = measure.where.text
    missing = _missing_answers(measure, labelled.filter(qualifies), left_out)
    said |= {} if missing is None else missing.details
    said |= {} if trust is None else trust.details
    measured = replace(columns, score=_SCORE, y_true=None)
    if everything is None or _is_known(measure, everything):
        known = None if everything is None else everything.filter(measure.qualifies(everything))
        chosen = scored.filter(qualifies)
        return fit_surface(measured, chosen, known, how).with_details(**said)
    rate, is_predicted = measure.rule, _has_predictions(measure, labelled, everything)
    if isinstance(rate, ConfusionRate) and rate.decided_by == "truth" and is_predicted:
        shares = _from_shares(measure, rate, scored, everything, how)
        return shares.with_details(**said, rows_are_expected=True)
    _refuse_unusable(measure, asked)
    made = derive_values(measured, scored, everything)
    share, weighed = _expected_rows(made, how)
    by_rows = replace(made.columns, attributes=share.space.attributes, weight=_ROWS)
    chosen = read_table(made.rows).filter(pl.col(_SHARE))
    surface = fit_surface(by_rows, chosen, weighed, replace(how, target="population"))
    return surface.with_details(**said, rows_are_expected=True)


def _scores(measure: Measure, labelled: pl.DataFrame, qualifies: pl.Series) -> pl.Series:
    """Return the scores of the labelled rows; those that do not qualify have none."""
    own = measure.scores(labelled)
    if own is None:
        own = measure.columns.scores(labelled)
    return own.zip_with(qualifies, pl.Series([None], dtype=own.dtype)).alias(_SCORE)


def _missing_answers(
    measure: Measure, qualified: pl.DataFrame, found: MissingAnswers | None
) -> MissingAnswers | None:
    """Return how many rows that qualify have no answer; None if only the rule knows their worth.

    Of one class, no answer is an answer that is not this class.
    """
    if found is None or found.rule != "wrong":
        return found
    rate, counted = measure.rule, measure.columns.missing_answers(qualified)
    if counted is None or rate is None:
        return counted
    if not isinstance(rate, ConfusionRate):
        return None
    return replace(counted, meaning=f"not {rate.of!r}")


def _of_labels(columns: Columns) -> set[str | None]:
    """Return the columns that only a labelled row has."""
    return {columns.score, columns.y_true}


def _is_known(measure: Measure, pool: pl.DataFrame) -> bool:
    """Return whether the pool's columns say which of its rows qualify."""
    needed = set(measure.deciding)
    return not needed & _of_labels(measure.columns) and needed <= set(pool.columns)


def _has_predictions(measure: Measure, labelled: pl.DataFrame, pool: pl.DataFrame) -> bool:
    """Return whether the pool has the predictions and the columns of the condition.

    If labelled rows all have an answer and some of the pool do not, these are not known.
    """
    needed = set(() if measure.where is None else measure.where.columns)
    if needed & _of_labels(measure.columns) or not needed <= set(pool.columns):
        return False
    said = measure.columns.y_pred
    if said not in pool.columns:
        return False
    has_silence = is_missing(labelled.get_column(said)).any()
    return has_silence or not is_missing(pool.get_column(said)).any()


def _from_shares(
    measure: Measure, rate: ConfusionRate, scored: pl.DataFrame, pool: pl.DataFrame, how: How
) -> AccuracySurface:
    """Return the rates of rows that the truth chooses, for a pool with predictions."""
    columns = measure.columns
    truth, said = str(columns.y_true), str(columns.y_pred)
    scored, pool = (
        table.with_columns(rate.is_class(table, said).alias(PREDICTED.name))
        for table in (scored, pool)
    )
    scored = scored.with_columns(rate.is_class(scored, truth).alias(_SHARE))
    if measure.where is not None:
        scored, pool = (t.filter(measure.where.holds(t)) for t in (scored, pool))
    by_prediction = replace(
        columns, attributes=(*columns.attributes, PREDICTED), score=_SHARE, y_true=None
    )
    share = fit_surface(by_prediction, scored, pool, how)
    return rates_of_truth(share, is_of_class=rate.is_of_class, is_predicted=rate.counts_class)


def _expected_rows(made: Sources, how: How) -> tuple[AccuracySurface, pl.DataFrame]:
    """Return the share of each arm's rows that qualify, and the pool's rows weighted by it."""
    pool = read_table(made.pool)
    said = made.columns.y_pred
    signals = () if said is None or not _is_signal(pool, said) else (said,)
    shares = replace(made.columns, score=_SHARE, signals=signals, y_pred=None)
    share = fit_surface(shares, made.rows, pool, replace(how, target="pool"))
    arm = share.space.arm_index(share.space.encode(pool))
    rows = pl.Series(_ROWS, share.mean[np.searchsorted(share.arms, arm)])
    return share, pool.with_columns(rows).filter(pl.col(_ROWS) > _FEWEST_ROWS)


def _is_signal(pool: pl.DataFrame, column: str) -> bool:
    if column not in pool.columns or pool.get_column(column).null_count():
        return False
    return 1 < pool.get_column(column).n_unique() <= _MOST_CLASSES


def _refuse_unusable(measure: Measure, target: Target | None) -> None:
    given = [name for name in _UNKNOWN_IN_POOL if getattr(measure.columns, name)]
    if given:
        shown = getattr(measure.columns, given[0])
        raise InputError(
            f"{given[0]} must be left out if the label decides which rows count for "
            f"{measure.words}; got {list(shown) if isinstance(shown, tuple) else shown!r}. Which "
            "rows of the pool count is unknown, so it cannot divide them."
        )
    if target == "pool":
        raise InputError(
            "target must be 'population' if the label decides which rows count for "
            f"{measure.words}; got 'pool', but which of its rows count is unknown."
        )
