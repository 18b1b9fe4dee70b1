"""Rows to check whose scores an automatic judge gave: by its certificate, or not at all.

Where the judge may decide its score stands; a label of people always does. Rows without either
have no score. A check of slices needs slices that are certified on their own: everything may be
right on the whole while its slices are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.judge_share import JudgeShare
from accuracy_assay.domain.judges import judge_scores
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import kind_of
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.reports.certificate import Certificate
from accuracy_assay.reports.certificate_file import settings_of
from accuracy_assay.study.estimate import split_options
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.read.annotations import settle_answers
from accuracy_assay.study.read.open_rows import open_rows
from accuracy_assay.study.read.texts import derive_values

__all__ = ["DECIDED", "DecidedRows", "decided_rows", "judged_surface"]

DECIDED = "people or certified judge"
"""Column of the scores, of people or of the judge."""
_SHOWN = 5
"""Slices that an error names."""


@dataclass(frozen=True, eq=False)
class DecidedRows:
    """Rows with a score where people or the judge may decide, and who decided how many."""

    rows: pl.DataFrame
    columns: Columns
    share: JudgeShare


def judged_surface(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    certificate: Certificate | str | Path,
    settings: Mapping[str, object] | None = None,
    by_slice: bool = True,
    services: Sequence[str] = (),
    pool: Rows = None,
    **options: Any,
) -> AccuracySurface:
    """Estimate a surface from a judge's scores where its certificate lets it decide.

    Rows with a label of people keep it; rows where neither may decide have none. The surface says
    how many there are of each, and ``check`` takes into account how far the judge may be off.

    Parameters
    ----------
    rows, attributes, score, pool, options
        As in ``estimate``; the score, or ``y_true`` and ``y_pred``, are those of people, and may
        be missing altogether.
    certificate
        The judge's certificate, or its file.
    settings
        What the judge is now, as in ``certify``.
    by_slice
        Whether slices are asked about: then a judge decides only in slices that are certified on
        their own. Off, it decides wherever everything is certified but for the refused slices,
        which is good for the accuracy of the whole.
    services
        Services whose answers these are, where no column says so.

    Returns
    -------
    AccuracySurface
        Its ``judge_share`` says who decided.

    Raises
    ------
    InputError
        If the certificate has expired, or people must decide where they have not.

    Examples
    --------
    >>> from accuracy_assay import certify
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(1_000) < 0.7
    >>> rows = pl.DataFrame({"kind": rng.choice(["long", "short"], 1_000), "right": right})
    >>> rows = rows.with_columns(llm=np.where(rng.random(1_000) < 0.95, right, ~right))
    >>> found = certify(rows, ["kind"], "right", judge="llm", tolerance=0.05)
    >>> new = rows.drop("right")
    >>> judged_surface(new, ["kind"], certificate=found).judge_share.decided
    1000
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(certificate)
    asked, how = split_options(attributes, score=score, **options)
    source, asked = open_rows(rows, asked) if asked.label is not None else (rows, asked)
    found = decided_rows(
        source, asked, certificate, settings, by_slice=by_slice, services=services
    )
    how = replace(how, frames=kind_of(rows))
    return fit_surface(found.columns, found.rows, pool, how).with_details(**found.share.details)


def decided_rows(
    rows: Rows,
    columns: Columns,
    certificate: Certificate,
    settings: Mapping[str, object] | None = None,
    *,
    by_slice: bool = True,
    services: Sequence[str] = (),
) -> DecidedRows:
    """Return rows whose scores are those of people, or of a judge where it may decide.

    Parameters
    ----------
    rows, columns
        The rows, and what their columns mean; ``columns.judges`` names the judge, and the label,
        if there is one, is that of people.
    certificate
        The judge's certificate.
    settings
        What the judge is now, as in ``certify``.
    by_slice
        Whether slices are asked about, rather than the whole as it is.
    services
        Services whose answers these are, where no column says so.

    Raises
    ------
    InputError
        If the certificate is about another judge or has expired, or people must decide where they
        have not.
    """
    columns, own, _ = derive_values(columns, rows)
    columns, own, *_ = settle_answers(columns, own)
    table = read_table(own)
    named = [certificate.service] if certificate.service is not None else []
    if certificate.service in table.columns:
        found = table.get_column(str(certificate.service)).cast(pl.String)
        services = found.drop_nulls().unique().sort().to_list()
    elif len(services) == 1 and named:
        table = table.with_columns(pl.lit(services[0]).alias(named[0]))
    _refuse_expired(certificate, columns, settings, services)
    require_columns(table, [certificate.judge, *named])
    judged = judge_scores(table.get_column(certificate.judge), certificate.passes)
    may = certificate.decides(table, judged, by_slice=by_slice)
    people = _people(table, columns)
    if certificate.statement == "decisions":
        judged, people = (_passed(each, certificate.threshold) for each in (judged, people))
    is_labelled = people.is_not_null().to_numpy()
    _refuse_uncovered(certificate, table, is_labelled)
    n_people, n_judge = int(is_labelled.sum()), int((may & ~is_labelled).sum())
    neither = table.height - n_people - n_judge
    if neither == table.height:
        raise InputError(
            f"a check must have rows that people or the judge {certificate.judge!r} may decide; "
            "got none. Label some."
        )
    beyond = certificate.support.is_beyond(judged.fill_null(0.0))
    beyond &= ~is_labelled & judged.is_not_null().to_numpy()
    counts = (n_judge, n_people, neither, int(beyond.sum()))
    slices = (certificate.certified if by_slice else (), certificate.widest_refused)
    values = (tuple(map(certificate.values_of, each)) for each in slices)
    share = JudgeShare(certificate.judge, certificate.tolerance, *counts, *values)
    decided = pl.when(pl.Series(may)).then(judged)
    table = table.with_columns(pl.coalesce(people, decided).cast(pl.Float64).alias(DECIDED))
    without = replace(columns, score=DECIDED, y_true=None, y_pred=None, judges=(), referees=())
    without = replace(without, answer_form=False, graded_by_model=False)
    return DecidedRows(table, without, share)


def _refuse_expired(
    certificate: Certificate,
    columns: Columns,
    settings: Mapping[str, object] | None,
    services: Sequence[str],
) -> None:
    named = [judge for judge in columns.judges if judge != certificate.judge]
    why = [f"it is about the judge {certificate.judge!r}, not {name!r}" for name in named]
    now = None if settings is None else settings_of(settings)
    why += certificate.expired(now, services)
    if why:
        raise InputError(
            "the judge's certificate must hold for what is checked; got one that does not: "
            f"{'; '.join(why)}. Certify the judge again."
        )


def _people(table: pl.DataFrame, columns: Columns) -> pl.Series:
    """Return people's score of each row, null without one."""
    if columns.label is None:
        return pl.Series([None] * table.height, dtype=pl.Float64)
    require_columns(table, columns.scored_by)
    is_known = table.get_column(columns.label).is_not_null()
    found: list[float | None] = [None] * table.height
    if is_known.any():
        scores = check_scores(columns.scores(table.filter(is_known)).to_numpy())
        for i, score in zip(np.flatnonzero(is_known.to_numpy()), scores, strict=True):
            found[int(i)] = float(score)
    return pl.Series(found, dtype=pl.Float64)


def _passed(scores: pl.Series, threshold: float) -> pl.Series:
    return (scores >= threshold).cast(pl.Float64)


def _refuse_uncovered(
    certificate: Certificate, table: pl.DataFrame, is_labelled: np.ndarray
) -> None:
    """Raise an error if people labelled no row of a slice where the judge may not decide."""
    bare = []
    for each in certificate.widest_refused:
        inside = certificate.members(table, each)
        if inside.any() and not is_labelled[inside].any():
            bare.append(f"{each.place} ({int(inside.sum()):,} rows)")
    if bare:
        raise InputError(
            f"people must label some rows where the judge {certificate.judge!r} may not decide; "
            f"got none in {'; '.join(bare[:_SHOWN])}. Label some there, or leave these rows out."
        )
