"""The services of an evaluation log side by side: all of them, by one metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from accuracy_assay.domain.agreement import Agreement
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.domain.missing_answers import MissingAnswers, MissingPrediction
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.compare.compare import compare
from accuracy_assay.study.compare.comparison import Comparison

__all__ = ["compare_log", "score_columns"]


def compare_log(
    log: EvalLog,
    attributes: Sequence[AnyAttribute] | Columns | None = None,
    services: Iterable[str] | None = None,
    metric: str | None = None,
    *,
    cluster: str | None = None,
    agreement: str | Agreement = "equal",
    missing_prediction: MissingPrediction = "wrong",
    **how: Any,
) -> Comparison:
    """Compare services of a log on the items that all of them were asked.

    Parameters
    ----------
    log
        The log.
    attributes
        Columns that span the surfaces; those of the log by default.
    services
        Names of services, all by default.
    metric
        Which score; optional if there is only one that all of them have. Without scores, answers
        are compared with the truth.
    cluster
        Column of rows that belong together; that of the log by default.
    agreement, missing_prediction
        How answers are compared where there are no scores, and what an item is to a service that
        was asked and said nothing.
    how
        The other arguments of ``compare``.

    Raises
    ------
    InputError
        If a service is unknown, no item was asked of all of them, or no score is known of all.

    Examples
    --------
    >>> import polars as pl
    >>> from accuracy_assay.domain.eval_log import ServiceColumns
    >>> rows = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1] * 80, "poor": [0, 1] * 40})
    >>> services = {name: ServiceColumns(None, {"ok": name}) for name in ("poor", "good")}
    >>> found = compare_log(EvalLog(rows, services), ["sex"], estimator="beta-independent")
    >>> [place.name for place in found]
    ['good', 'poor']
    """
    names = tuple(dict.fromkeys(services or log.services))
    own = log.attributes_of(*names) if attributes is None else attributes
    given = {"agreement": agreement, "missing_prediction": missing_prediction}
    columns = Columns.of(own if isinstance(own, Columns) else tuple(own), **given)
    columns = replace(columns, cluster=cluster or columns.cluster or log.cluster)
    scores = score_columns(log, names, metric)
    rows = log.shared_rows(names)
    if scores:
        return compare(_answered(log, rows, columns, scores), columns, scores=scores, **how)
    said = {name: log.by_service[name].prediction for name in names}
    answers = {name: column for name, column in said.items() if column is not None}
    if log.target is None or len(answers) < len(names):
        raise InputError(
            "services of a log must have scores, or answers and a truth; got neither for all of "
            f"{list(names)}."
        )
    return compare(rows, replace(columns, y_true=log.target), services=answers, **how)


def score_columns(
    log: EvalLog, names: Sequence[str], metric: str | None = None
) -> Mapping[str, str]:
    """Return the score columns of some services by one metric; none if they have no scores.

    Raises
    ------
    InputError
        If a service is unknown, or a metric must be named, or none is known of all of them.
    """
    for name in names:
        if name not in log.by_service:
            raise UnknownNameError("service", name, log.services)
    by_service = {name: log.by_service[name].scores for name in names}
    common = [m for m in log.metrics if all(m in scores for scores in by_service.values())]
    if metric is not None and metric not in common:
        raise UnknownNameError("metric", metric, common, "Every service must have it.")
    if metric is None and len(common) > 1:
        raise InputError(f"metric must be named if there are several; got {common}.")
    if not common and any(by_service.values()):
        raise InputError(
            f"services of a log must have a score in common; got {_metrics(log, names)}. Name "
            "services that have one."
        )
    if not common:
        return {}
    return {name: scores[metric or common[0]] for name, scores in by_service.items()}


def _answered(
    log: EvalLog, rows: pl.DataFrame, columns: Columns, scores: Mapping[str, str]
) -> pl.DataFrame:
    """Return scored rows without those that a service has no answer to, if these are left out."""
    if columns.missing_prediction == "wrong":  # a score has decided already
        return rows
    asked = {
        name: replace(columns, y_true=log.target, y_pred=log.by_service[name].prediction, score=s)
        for name, s in scores.items()
    }
    for each in asked.values():
        each.missing_answers(rows.drop_nulls(each.score), warn=False)
    kept = rows
    for each in asked.values():
        kept = each.answered(kept)
    n_dropped = rows.height - kept.height
    MissingAnswers("drop", n_dropped, rows.height, "rows", " of some service").warn()
    return kept


def _metrics(log: EvalLog, names: Sequence[str]) -> str:
    return ", ".join(f"{name}: {list(log.by_service[name].scores)}" for name in names[:5])
