"""``signal_report``: how much each free signal helped, by leaving it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from accuracy_assay.domain.answer_form import ANSWER_FORM
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows
from accuracy_assay.study.estimate import estimate
from accuracy_assay.study.read.text_tables import AnyAttribute, derive_texts

__all__ = ["signal_report"]

_EXPECTED, _EVIDENCE = "expected_macro_mse", "log_evidence"


def signal_report(
    rows: Rows,
    attributes: Sequence[AnyAttribute],
    score: str | None = None,
    *,
    signals: Sequence[str] = (),
    referees: Sequence[str] = (),
    judges: Sequence[str] = (),
    answer_form: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Fit with all signals, referees and judges, and once more without each of them.

    Parameters
    ----------
    rows, attributes, score, options
        As in ``estimate``.
    signals
        Columns to judge.
    referees
        Columns of other services' predictions, judged as well: all of them as one signal, called
        "agreement of the referees", and where there are several also each alone.
    judges
        Columns of verdicts or scores, judged likewise. Where a judge is lenient or harsh is for
        ``judge_report`` to say.
    answer_form
        Whether the form of the answers in ``y_pred`` is judged too, as "form of the answer".

    Returns
    -------
    polars.DataFrame
        One row per signal, judge and referee: ``signal``; ``expected_macro_mse`` with all of them
        and ``without`` this one, both times 100; ``log_evidence_gain``, by how much the signal
        makes the labels more likely (in nats; about zero for a useless one). No truth is needed
        for either.

    Raises
    ------
    InputError
        If there is no signal to judge, or the estimator does not say what error it expects.
    """
    given: dict[str, Any] = {
        "signals": list(signals or ()),
        "judges": list(judges or ()),
        "referees": list(referees or ()),
        "answer_form": answer_form,
    }
    if not any(given.values()):
        raise InputError("signals must name at least one column to judge; got none.")

    made = derive_texts(attributes, rows, options.get("pool"))  # once, since topics take long
    options |= {"pool": made.pool, "evidence": made.evidence | (options.get("evidence") or {})}

    def fit(changes: Mapping[str, Any]) -> tuple[float, float]:
        changed = {**given, **changes}
        surface = estimate(made.rows, made.attributes, score, **changed, **options)
        expected, log_evidence = surface.expected_macro_mse, surface.details.get(_EVIDENCE)
        if expected is None or log_evidence is None:
            raise InputError(
                "signals are judged by the error that an estimator expects and by its evidence; "
                f"got neither from {surface.details.get('estimator')!r}. Use 'anova-gp'."
            )
        return expected, float(log_evidence)

    left_out: dict[str, Mapping[str, Any]] = {}
    for kind in ("signals", "judges"):
        left_out |= {name: {kind: _without(given[kind], name)} for name in given[kind]}
    if answer_form:
        left_out[ANSWER_FORM] = {"answer_form": False}
    others = given["referees"]
    if others:
        left_out[REFEREES] = {"referees": []}
    if len(others) > 1:
        left_out |= {name: {"referees": _without(others, name)} for name in others}
    expected, evidence = fit({})
    table: list[dict[str, Any]] = []
    for name, changes in left_out.items():
        without, evidence_without = fit(changes)
        table.append(
            {
                "signal": name,
                _EXPECTED: expected,
                "without": without,
                "log_evidence_gain": evidence - evidence_without,
            }
        )
    return pl.DataFrame(table)


def _without(names: list[str], name: str) -> list[str]:
    return [other for other in names if other != name]
