"""What others say of a service in a session: its judges, its referees, and where all disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.referees import REFEREES, all_differ
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_texts
from accuracy_assay.reports.judge_report import JudgeReport
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.session.part_judges import opinions_of
from accuracy_assay.session.service_problem import score_answers
from accuracy_assay.session.session import Session
from accuracy_assay.study.judges.report import Judged, report_judges
from accuracy_assay.study.judges.signal_strata import accuracy_by_row

__all__ = ["contested_rows", "judge_report", "referee_table"]


def judge_report(session: Session, service: str | None = None) -> JudgeReport | None:
    """Return what the judges of a service are worth and where they are lenient or harsh.

    It is about the rows that a judge has scored; None without a judge, and without labels.

    Raises
    ------
    InputError
        If an attribute is guessed or revealed by the label: arms are then not known row by row.
    """
    parts = session.parts()
    section = parts.spec.find_service(service)
    fit, seen = parts.fits.cold(section), parts.snapshots.take(section)
    solved, rows = fit.solved, fit.solved.rows
    columns = solved.signals.columns
    names = [j.name for j in solved.spec.judges_of(solved.service) if j.name in columns]
    part = solved.judged.scored if solved.judged is not None else {}
    labelled = sorted(fit.labelled & seen.labels.keys())
    if not names or not labelled:
        return None
    if any(a.evidence or a.from_label for a in solved.spec.attribute):
        raise InputError(
            "judges must be reported on over attributes that are known for every row; got guessed "
            "ones, or ones that the label reveals."
        )
    codes, n_pool = rows.space.encode(rows.frame), rows.n_pool
    said = solved.signal_table.select(names).with_columns(
        opinions_of(seen.partly[name], name, rows.ids) for name in part
    )
    return report_judges(
        fit.surface,
        Judged(codes[:n_pool], said[:n_pool]),
        Judged(codes[labelled], said[labelled]),
        solved.scores(labelled, seen.labels, seen.predictions),
        np.random.default_rng([solved.spec.assay.seed, 4]),
    )


def referee_table(session: Session, service: str | None = None) -> pl.DataFrame | None:
    """Return how accurate a service is where its referees agree with it, and where not.

    Returns
    -------
    polars.DataFrame or None
        ``stratum`` (who agrees), ``rows`` of the pool, ``labels`` and ``accuracy``; None where
        there are no referees, or the estimator does not tell.
    """
    parts = session.parts()
    fit = parts.fits.cold(parts.spec.find_service(service))
    solved = fit.solved
    if REFEREES not in solved.signals.columns or not solved.problem.candidate.is_exact:
        return None
    problem = solved.whole.problem
    n_pool = solved.rows.n_pool
    is_labelled = np.isin(np.arange(n_pool), sorted(fit.labelled))
    said = solved.signal_table.get_column(REFEREES)[:n_pool]
    cells, n_strata = problem.candidate.indices, problem.support.n_strata
    return accuracy_by_row(fit.surface, cells, n_strata, said, is_labelled)


def contested_rows(session: Session) -> pl.DataFrame:
    """Return the pool rows without a label on which no two services agree.

    A service counts once it has predicted the pool.

    Returns
    -------
    polars.DataFrame
        ``id`` and one column per service with its prediction; empty with fewer than two.
    """
    parts, labelled = session.parts(), session.labelled_ids()
    rows, spec = parts.rows, parts.spec
    ids = rows.ids[: rows.n_pool]
    said = {
        name: pl.Series(name, [made[i][0] for i in ids], dtype=pl.String)
        for name, made in parts.snapshots.by_service().items()
        if all(i in made for i in ids)
    }
    frame = pl.DataFrame({**said, "id": ids}).select(
        "id", *(name for name in said if name != "id")
    )
    if len(said) < 2:
        return frame.clear()
    name = spec.label.agreement

    def agree(truths: Sequence[object], answers: Sequence[object]) -> FloatArray:
        return score_answers(name, as_texts(truths), as_texts(answers))

    differs = all_differ(list(said.values()), name if name == "equal" else agree)
    is_open = np.asarray([i not in labelled for i in ids])
    return frame.filter(pl.Series(differs & is_open))
