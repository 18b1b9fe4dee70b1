"""Letting a service predict the pool: claimed, predicted, stored as it comes.

A judge is asked in the same way, and is shown the service's answer beside each row.
"""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Callable, Sequence, Set
from itertools import islice

import numpy as np
import polars as pl

from accuracy_assay.domain.events import Claimed, Predicted
from accuracy_assay.errors import ServiceError
from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.registry import build_service
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.services.predictions import checked_predictions
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import CLAIM_SECONDS, Ledger
from accuracy_assay.session.pool_answers import PoolAnswers
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.service_problem import Predictions
from accuracy_assay.session.spreading import spread
from accuracy_assay.spec.answerers import JUDGED_ANSWER, AnswererSection

__all__ = ["build", "missing_predictions", "predict_missing", "predictions_in_pool"]

# Rows that a run claims at a time: enough for several requests at once, few enough that a second
# run finds work, and that a run on another machine that died holds up little.
_ROWS_PER_CLAIM = 256
_CLAIMS_OF_A_GPU = 16
"""At once, where workers have GPUs: each loads its model anew for every claim. Chosen by hand, so
that half a minute of loading is little beside 4,096 rows."""


def build(section: AnswererSection) -> Service:
    """Return the service, or the judge, that a section of the spec describes."""
    return build_service(*section.made_from())


def predictions_in_pool(section: AnswererSection, rows: AssayRows) -> Predictions:
    """Return the answers of a service or a judge that stand in the pool already."""
    return PoolAnswers(section, rows)


def missing_predictions(section: AnswererSection, rows: AssayRows, ledger: Ledger) -> list[str]:
    """Return the instances that a service has not predicted, in the order of the rows."""
    known = ledger.predictions.get(section.name, {})
    return [i for i in rows.ids if i not in known]


def predict_missing(
    section: AnswererSection,
    rows: AssayRows,
    journal: Journal,
    judged: Predictions | None = None,
    only: Set[str] | None = None,
    limit: int | None = None,
    on_progress: Callable[[int, int, float], None] | None = None,
    engine: str = "local",
) -> int:
    """Let a service predict what is missing and return how many instances it predicted.

    Rows are claimed in the store before they are sent, so that two runs never pay for the same
    one. What another run has claimed is left to it.

    Parameters
    ----------
    section, rows, journal
        The service's section of the spec, the tables and the events.
    judged
        For a judge: the predictions that it judges; instances without one are left out.
    only
        Instances to predict; all by default.
    limit
        Most instances to predict now.
    on_progress
        Called with (predicted, all, cost so far).
    engine
        Who calls the service: this process, or the workers of an engine of that name.

    Raises
    ------
    ServiceError
        After the last row, if some could not be predicted; at once where none could any more.
    """
    service, rows_per_claim = _called_by(section, engine)
    if judged is not None:
        only = judged.keys() if only is None else only & judged.keys()
    runner = f"{platform.node()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
    n_stored = 0
    tried: set[str] = set()
    failure: ServiceError | None = None
    while limit is None or n_stored < limit:
        most = rows_per_claim if limit is None else min(rows_per_claim, limit - n_stored)
        claim = _claim(section, rows, journal, runner, only, tried, most)
        if not claim:
            break
        tried.update(claim)
        before, claimed_at = n_stored, journal.clock()
        index = np.asarray([rows.row_of[i] for i in claim], dtype=np.int64)
        try:
            shown = rows.frame[index] if judged is None else _with_answer(rows, index, judged)
            for group in checked_predictions(section.name, service, shown):
                made = [p for p in group if judged is None or p.prediction]
                if len(made) < len(group):
                    failure = failure or _no_opinion(section, claim, group)
                if made:
                    journal.append(_predicted(section, claim, made))
                    n_stored += len(made)
                    claimed_at = _renew(section, journal, runner, claim, claimed_at)
                    if on_progress is not None:
                        on_progress(*_progress(section, rows, journal.ledger))
        except ServiceError as error:
            failure = failure or error  # other rows may fare better
        finally:
            if n_stored - before < len(claim):
                journal.append(Claimed(section.name, claim, runner, until=0.0))
        if n_stored == before:
            break
    if failure is not None:
        raise failure
    return n_stored


def _called_by(section: AnswererSection, engine: str) -> tuple[Service, int]:
    """Return the service as an engine calls it, and how many rows are claimed for that at once."""
    if engine == "local":
        return build(section), _ROWS_PER_CLAIM
    service = spread(section, engine)
    n_claims = _CLAIMS_OF_A_GPU if section.gpus > 0.0 else 1
    return service, _ROWS_PER_CLAIM * n_claims * service.engine.n_workers


def _with_answer(rows: AssayRows, index: IntArray, judged: Predictions) -> pl.DataFrame:
    """Return rows with the answer that is to be judged, whatever else has that name."""
    said = [judged[rows.ids[row]][0] for row in index]
    return rows.frame[index].with_columns(pl.Series(JUDGED_ANSWER, said, dtype=pl.String))


def _no_opinion(
    section: AnswererSection, claim: tuple[str, ...], group: Sequence[Prediction]
) -> ServiceError:
    instance = next(claim[p.position] for p in group if not p.prediction)
    return ServiceError(
        f"judge {section.name!r} must return a verdict or a score for every row; got none for "
        f"{instance!r}. Opinions on other rows are kept."
    )


def _claim(
    section: AnswererSection,
    rows: AssayRows,
    journal: Journal,
    runner: str,
    only: Set[str] | None,
    tried: Set[str],
    most: int,
) -> tuple[str, ...]:
    """Claim at most so many instances that no run is at and this one has not tried."""
    with journal.reading() as ledger:
        now = journal.clock()
        claims = ledger.claims.get(section.name, {})
        dead = tuple(sorted({by for by, until in claims.values() if until > now and _is_dead(by)}))
        wanted = (
            i
            for i in missing_predictions(section, rows, ledger)
            if (only is None or i in only)
            and i not in tried
            and ledger.is_unclaimed(section.name, i, runner, now, dead)
        )
        ids = tuple(islice(wanted, most))
        if not ids:
            return ()
        event = Claimed(section.name, ids, runner, now + CLAIM_SECONDS, dead)
        return ledger.claimed[journal.append(event)]


def _renew(
    section: AnswererSection, journal: Journal, runner: str, claim: tuple[str, ...], since: float
) -> float:
    """Claim again what is not predicted yet, once half of the time is over; return since when."""
    now = journal.clock()
    if now - since < CLAIM_SECONDS / 2.0:
        return since
    known = journal.ledger.predictions[section.name]
    left = tuple(i for i in claim if i not in known)
    if left:
        journal.append(Claimed(section.name, left, runner, now + CLAIM_SECONDS))
    return now


def _is_dead(runner: str) -> bool:
    """Return whether a run was on this machine and its process is gone."""
    host, pid, _ = runner.rsplit(":", 2)
    if host != platform.node():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


def _predicted(
    section: AnswererSection, claim: tuple[str, ...], made: Sequence[Prediction]
) -> Predicted:
    return Predicted(
        section.name,
        tuple(claim[p.position] for p in made),
        tuple(p.prediction for p in made),
        tuple(p.confidence for p in made),
        section.price * len(made),
    )


def _progress(section: AnswererSection, rows: AssayRows, ledger: Ledger) -> tuple[int, int, float]:
    n_known = len(ledger.predictions.get(section.name, ()))
    return n_known, rows.n_rows, ledger.cost.get(section.name, 0.0)
