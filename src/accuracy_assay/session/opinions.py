"""What others say of a service in a session: its judges, its referees, and where all disagree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.referees import REFEREES, all_differ
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_texts
from accuracy_assay.reports.judge_report import JudgeReport
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.session.fits import Fit
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.service_problem import Predictions, score_answers
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.judges.report import Judged, report_judges
from accuracy_assay.study.judges.signal_strata import accuracy_by_row

__all__ = ["contested_rows", "judges_of_fit", "referees_of_fit"]


def judges_of_fit(fit: Fit, seen: Snapshot) -> JudgeReport | None:
    """Return the report of the judges that a fit rests on, None without any or without labels.

    Raises
    ------
    InputError
        If an attribute is guessed or revealed by the label: arms are then not known row by row.
    """
    solved = fit.solved
    known = solved.signals.columns
    names = [j.name for j in solved.spec.judges_of(solved.service) if j.name in known]
    labelled = sorted(fit.labelled & seen.labels.keys())
    if not names or not labelled:
        return None
    if any(a.evidence or a.from_label for a in solved.spec.attribute):
        raise InputError(
            "judges must be reported on over attributes that are known for every row; got guessed "
            "ones, or ones that the label reveals."
        )
    rows, n_pool = solved.rows, solved.rows.n_pool
    codes = rows.space.encode(rows.frame)
    said = solved.signal_table.select(names)
    return report_judges(
        fit.surface,
        Judged(codes[:n_pool], said[:n_pool]),
        Judged(codes[labelled], said[labelled]),
        solved.scores(labelled, seen.labels, seen.predictions),
        np.random.default_rng([solved.spec.assay.seed, 4]),
    )


def referees_of_fit(fit: Fit) -> pl.DataFrame | None:
    """Return the accuracy by who agrees with the service, None without referees."""
    solved = fit.solved
    if REFEREES not in solved.signals.columns or not solved.problem.candidate.is_exact:
        return None
    candidate = solved.whole.problem.candidate
    n_pool = solved.rows.n_pool
    is_labelled = np.isin(np.arange(n_pool), sorted(fit.labelled))
    said = solved.signal_table.get_column(REFEREES)[:n_pool]
    return accuracy_by_row(fit.surface, candidate.indices, said, is_labelled)


def contested_rows(
    spec: Spec, rows: AssayRows, known: Mapping[str, Predictions], labelled: Collection[str]
) -> pl.DataFrame:
    """Return the pool rows without a label on which no two services agree.

    Parameters
    ----------
    spec, rows
        The spec and the tables.
    known
        What each service has predicted so far; a service counts once it has predicted the pool.
    labelled
        Instances that have a label.

    Returns
    -------
    polars.DataFrame
        ``id`` and one column per service with its prediction; empty with fewer than two.
    """
    ids = rows.ids[: rows.n_pool]
    said = {
        name: pl.Series(name, [made[i][0] for i in ids], dtype=pl.String)
        for name, made in known.items()
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
