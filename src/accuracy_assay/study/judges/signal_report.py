"""``signal_report``: how much each free signal helped, by leaving it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from accuracy_assay.domain.answer_form import ANSWER_FORM
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.history import HISTORY
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import Frame, as_kind, kind_of
from accuracy_assay.files.tables import Rows
from accuracy_assay.study.estimate import estimate_columns, split_options
from accuracy_assay.study.read.open_rows import open_rows
from accuracy_assay.study.read.texts import derive_texts

__all__ = ["signal_report"]

_EXPECTED, _LOG_MARGINAL = "expected_macro_mse", "log_evidence"


def signal_report(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    signals: Sequence[str] = (),
    referees: Sequence[str] = (),
    judges: Sequence[str] = (),
    history: Sequence[str] = (),
    answer_form: bool = False,
    pool: Rows = None,
    measure: str | None = None,
    where: str | None = None,
    **options: Any,
) -> Frame:
    """Fit with all signals, referees and judges, and once more without each of them.

    Parameters
    ----------
    rows, attributes, score, pool, measure, where, options
        As in ``estimate``.
    signals
        Columns to judge.
    referees
        Columns of other services' predictions: all of them as one signal, called "agreement of
        the referees", and each alone if there are several.
    judges
        Columns of verdicts or scores. For where a judge is lenient or harsh see ``judge_report``.
    history
        Columns of earlier services' scores, judged together as "scores of earlier services".
    answer_form
        Whether to judge the form of the answers in ``y_pred`` too, as "form of the answer".

    Returns
    -------
    polars.DataFrame
        One row per signal, judge and referee: ``signal``; ``expected_macro_mse`` with all of them
        and ``without`` this one, both times 100; ``log_evidence_gain``, how much more likely the
        signal makes the labels (in nats; about zero for a useless one). Neither needs the truth.

    Raises
    ------
    InputError
        If there is no signal to judge, or the estimator does not say what error it expects.
    """
    asked, how = split_options(
        attributes,
        score=score,
        signals=signals,
        referees=referees,
        judges=judges,
        history=history,
        answer_form=answer_form,
        **options,
    )
    rows, asked = open_rows(rows, asked)
    if not asked.asked_for:
        raise InputError("signals must name at least one column to judge; got none.")
    kind = kind_of(rows)
    columns, rows, pool = derive_texts(asked, rows, pool)  # once, since topics are slow

    def fit(of: Columns) -> tuple[float, float]:
        surface = estimate_columns(of, rows, pool, how, measure, where)
        expected, log_marginal = surface.expected_macro_mse, surface.details.get(_LOG_MARGINAL)
        if expected is None or log_marginal is None:
            raise InputError(
                "signals are judged by an estimator's expected error and marginal likelihood; "
                f"got neither from {surface.details.get('estimator')!r}. Use 'anova-gp'."
            )
        return expected, float(log_marginal)

    expected, marginal = fit(columns)
    table: list[dict[str, Any]] = []
    for name, without in _left_out(columns).items():
        worse, marginal_without = fit(without)
        table.append(
            {
                "signal": name,
                _EXPECTED: expected,
                "without": worse,
                "log_evidence_gain": marginal - marginal_without,
            }
        )
    return as_kind(pl.DataFrame(table), kind)


def _left_out(columns: Columns) -> dict[str, Columns]:
    """Return the columns without each signal, judge and referee."""
    found = {n: replace(columns, signals=_without(columns.signals, n)) for n in columns.signals}
    found |= {n: replace(columns, judges=_without(columns.judges, n)) for n in columns.judges}
    if columns.history:
        found[HISTORY] = replace(columns, history=())
    if columns.answer_form:
        found[ANSWER_FORM] = replace(columns, answer_form=False)
    others = columns.referees
    if others:
        found[REFEREES] = replace(columns, referees=())
    if len(others) > 1:
        found |= {name: replace(columns, referees=_without(others, name)) for name in others}
    return found


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)
