"""``certify``: where an automatic judge may decide in place of people, from blind labels.

The judge's figure may be right on the whole because its errors cancel out. So everything is
certified first; then slices that clearly differ withdraw the right to decide there, and everything
else is certified again without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.frame_kind import kind_of
from accuracy_assay.files.tables import Rows
from accuracy_assay.reports.certificate import STATEMENTS, Certificate, Statement, Support
from accuracy_assay.reports.certificate_file import settings_of
from accuracy_assay.runtime.version import __version__
from accuracy_assay.study.judges.certified_slices import CertifiedSlices
from accuracy_assay.study.judges.judged_rows import JudgedRows, read_judged
from accuracy_assay.study.judges.rows_to_label import rows_to_label
from accuracy_assay.study.judges.slice_differences import SliceDifferences
from accuracy_assay.study.read.open_rows import open_rows

__all__ = ["certify"]

_STREAM = 33
"""Tells these draws from others of the same seed."""
_LEAST_LABELS = 10
"""Fewest blind labels of a certificate: the normal approximation of a mean needs some."""


def certify(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    judge: str,
    tolerance: float = 0.03,
    statement: Statement = "level",
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: Any = "equal",
    service: str | None = None,
    cluster: str | None = None,
    blind: str | None = None,
    pool: Rows = None,
    id: str | None = None,
    annotator: str | None = None,
    gold: str | None = None,
    passes: Sequence[str] = (),
    threshold: float = 0.5,
    confidence: float = 0.95,
    order: int = 2,
    least_rows: float = 20.0,
    settings: Mapping[str, object] | None = None,
    made: date | str | None = None,
    signed_off_by: str | None = None,
    seed: int = 0,
) -> Certificate:
    """Say where an automatic judge may decide in place of people.

    Parameters
    ----------
    rows, attributes, score, y_true, y_pred, agreement, cluster, pool, id, annotator, gold
        As in ``estimate``: the score, or truth and prediction, are those of people. Rows without
        one have no label. The attributes must be known for every row.
    judge
        Column with the judge's score of each answer, in [0, 1], boolean, or a text.
    tolerance
        The most that judge and people may differ.
    statement
        What is certified: ``"level"``, the judge's figure is within ``tolerance`` of that of
        people; or ``"decisions"``, single answers are passed and failed as people would, but for a
        share of ``tolerance``.
    service
        Column of the service that gave each answer, if they are of several.
    blind
        Column that is true where a label was given without seeing the judge's verdict. Other
        labels are left out and counted.
    passes
        The judge's verdicts that pass an answer, where they are texts.
    threshold
        Score from which on an answer passes, for the judge as for people.
    confidence
        Probability that decides.
    order, least_rows
        Slices are all combinations of up to so many attributes that have so many rows.
    settings
        What the judge is: its version, its prompt, the model, the temperature. The certificate
        expires when they change. Of long texts only the digest is kept.
    made
        Date of the certificate; today by default.
    signed_off_by
        Who takes responsibility for it.
    seed
        Seed of the draws that the posterior is integrated by.

    Returns
    -------
    Certificate
        ``to_frame()``, ``rows_to_label(n)``, ``save(path)``; printed in words.

    Raises
    ------
    InputError
        If a column is unknown, labels are too few, or an argument is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(2_000) < 0.7
    >>> kind = rng.choice(["long", "short"], 2_000)
    >>> llm = np.where(rng.random(2_000) < 0.95, right, ~right)
    >>> label = pl.Series(right).cast(pl.Float64).scatter(list(range(800, 2_000)), None)
    >>> rows = pl.DataFrame({"kind": kind, "llm": llm, "right": label})
    >>> found = certify(rows, ["kind"], "right", judge="llm", tolerance=0.05)
    >>> found.verdict, found.labels
    ('may decide', 800)
    """
    _check(tolerance, confidence, threshold, statement)
    asked = Columns.of(
        attributes,
        score=score,
        y_true=y_true,
        y_pred=y_pred,
        agreement=agreement,
        cluster=cluster,
        id=id,
        annotator=annotator,
        gold=gold,
    )
    source, asked = open_rows(rows, asked)
    asked = _as_asked(asked, judge, service)
    judged = read_judged(asked, source, pool, judge, service, blind, passes)
    if judged.people.size < _LEAST_LABELS:
        raise InputError(
            f"a certificate must have at least {_LEAST_LABELS} blind labels of people; got "
            f"{judged.people.size}."
        )
    compared = judged.passed(threshold) if statement == "decisions" else judged
    rng = np.random.default_rng([seed, _STREAM])
    differences = SliceDifferences(compared, rng, is_share=statement == "decisions")
    options = (tolerance, confidence, order, least_rows)
    slices = CertifiedSlices(differences, service, *options).certified()
    found = Certificate(
        judge,
        statement,
        tolerance,
        confidence,
        slices,
        judged.space,
        service,
        judged.services,
        judged.unlabelled,
        _support(judged),
        threshold,
        int(judged.people.size),
        judged.left_out,
        blind is not None,
        int(differences.n_rows.sum()),
        "of these rows" if judged.is_pool else "of rows like these",
        settings_of(settings),
        tuple(passes),
        str(datetime.now(UTC).date() if made is None else made),
        __version__,
        signed_off_by,
        frames=kind_of(rows),
        _to_label=rows_to_label(judged, slices, judge, service, asked.id),
    )
    may = found.allows(judged.pool_codes, pl.Series(judged.pool_judge), by_slice=False)
    decided = int((may & judged.has_labelled_values).sum())
    has_label = found.allows(judged.codes, pl.Series(judged.judge), by_slice=False)
    saved = max(decided - int(has_label.sum()), 0)
    return replace(found, decided=decided, labels_saved=saved)


def _check(tolerance: float, confidence: float, threshold: float, statement: str) -> None:
    if not 0.0 < tolerance < 1.0:
        hint = f" Write {tolerance:g} points as {tolerance / 100:g}." if tolerance >= 1.0 else ""
        raise InputError(f"tolerance must be between 0 and 1; got {tolerance!r}.{hint}")
    if not 0.5 < confidence < 1.0:
        raise InputError(f"confidence must be between 0.5 and 1; got {confidence!r}.")
    if not 0.0 < threshold <= 1.0:
        raise InputError(f"threshold must be more than 0 and at most 1; got {threshold!r}.")
    if statement not in STATEMENTS:
        raise UnknownNameError("statement", statement, STATEMENTS)


def _as_asked(asked: Columns, judge: str, service: str | None) -> Columns:
    """Return the columns with the service as an attribute, and without free signals."""
    if asked.label is None:
        raise InputError(
            "a certificate must have labels of people; got none. Name them: score='right', or "
            "y_true and y_pred."
        )
    taken = (*asked.names, asked.score, asked.y_true, asked.y_pred)
    if judge in taken:
        raise InputError(
            f"judge must be a column of its own; got {judge!r}, which is an attribute, the label "
            "or the prediction."
        )
    named = asked.attributes
    if service is not None and service not in asked.names:
        named = (*named, service)
    kept = {"signals": (), "referees": (), "judges": (), "history": (), "answer_form": False}
    return replace(asked, attributes=named, **kept)  # type: ignore[arg-type]


def _support(judged: JudgedRows) -> Support:
    known = Support(float(judged.judge.min()), float(judged.judge.max()))
    return replace(known, outside=float(known.is_beyond(pl.Series(judged.pool_judge)).mean()))
