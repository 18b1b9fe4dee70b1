"""Letting a service predict the pool: claimed, predicted, stored as it comes.

A judge is asked in the same way, and is shown the service's answer beside each row.
"""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import polars as pl

from accuracy_assay.domain.events import Claimed, Predicted
from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.registry import build_service
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.runtime.engine import engine as find_engine
from accuracy_assay.services.pace import SLOWEST_PER_SECOND
from accuracy_assay.services.predictions import checked_predictions
from accuracy_assay.services.spread import SpreadService
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import CLAIM_SECONDS, Ledger
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.service_problem import Predictions
from accuracy_assay.session.session import Session
from accuracy_assay.spec.answerers import JUDGED_ANSWER, AnswererSection, JudgeSection
from accuracy_assay.spec.model import Spec

__all__ = ["OnProgress", "Run", "judge_of", "n_missing", "predict_missing", "spread"]

OnProgress = Callable[[int, int, float], None]
"""Called with (predicted, all, cost so far)."""

# Rows that a run claims at a time: enough for several requests at once, few enough that a second
# run finds work, and that a run on another machine that died holds up little.
_ROWS_PER_CLAIM = 256
_CLAIMS_OF_A_GPU = 16
"""Claims at once for workers with GPUs, which load their model for every claim: half a minute of
loading is little beside 4,096 rows."""


@dataclass(frozen=True)
class Run:
    """How much is predicted now, and who calls the service; as in `Assay.predict`."""

    limit: int | None = None
    labelled_only: bool = False
    engine: str = "local"
    on_progress: OnProgress = lambda *_: None
    among: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 0:
            raise InputError(f"limit must be at least 0; got {self.limit}.")


def judge_of(spec: Spec, judge: str | None, service: str | None) -> JudgeSection | None:
    """Return a judge of a service, None where it judges others."""
    named, section = spec.find_judge(judge), spec.find_service(service)
    name = named.of(section.name).name
    return next((known for known in spec.judges_of(section) if known.name == name), None)


def n_missing(
    session: Session,
    section: AnswererSection | None,
    *,
    labelled_only: bool = False,
    among: frozenset[str] | None = None,
) -> int:
    """Return how many instances a service or judge said nothing of; times its price, the cost."""
    if section is None or section.column is not None:
        return 0
    known_ids = session.labelled_ids() if labelled_only else session.parts().rows.ids
    wanted = known_ids if among is None else among.intersection(known_ids)
    with session.journal.reading() as ledger:
        known = ledger.predictions.get(section.name, {})
        return sum(i not in known for i in wanted)


def predict_missing(
    session: Session,
    section: AnswererSection | None,
    run: Run,
    judged: Predictions | None = None,
) -> int:
    """Let a service predict what is missing and return how many instances it predicted.

    Rows are claimed in the store before they are sent, so that two runs never pay for the same
    one. What another run has claimed is left to it. A judge gets the predictions that are
    ``judged``, and no instance without one.

    Raises
    ------
    ServiceError
        After the last row, if some could not be predicted; at once where none could any more.
    """
    if section is None or section.column is not None:
        return 0
    rows, journal, limit = session.parts().rows, session.journal, run.limit
    only: Set[str] | None = session.labelled_ids() if run.labelled_only else None
    service, rows_per_claim = _called_by(section, run.engine)
    for some in (run.among, None if judged is None else judged.keys()):
        if some is not None:
            only = some if only is None else only & some
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
        index = rows.numbers(claim)
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
                    run.on_progress(*_progress(section, rows, journal.ledger))
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
        return build_service(*section.made_from()), _ROWS_PER_CLAIM
    service = spread(section, engine)
    n_claims = _CLAIMS_OF_A_GPU if section.gpus > 0.0 else 1
    return service, _ROWS_PER_CLAIM * n_claims * service.engine.n_workers


def spread(section: AnswererSection, engine_name: str) -> SpreadService:
    """Return the service, or the judge, of a section, called by an engine.

    The limits of an endpoint hold for all workers together: no more of them than calls are
    allowed at once, and each has its share of the calls per second.
    """
    is_endpoint = section.url is not None
    most_workers = section.concurrency if is_endpoint else None
    chosen = find_engine(engine_name, gpus=section.gpus, most_workers=most_workers)
    kind, settings = section.made_from()
    if is_endpoint:
        settings |= _share(section, chosen.n_workers)
    build = partial(build_service, kind, settings)
    return SpreadService(section.name, build, chosen, section.batch_rows)


def _share(section: AnswererSection, n_workers: int) -> dict[str, Any]:
    """Return the limits of one worker."""
    share: dict[str, Any] = {"concurrency": section.concurrency // n_workers}
    if section.requests_per_second is not None:
        # The first call of a part waits for no other, so the gaps are one fewer than the calls.
        gaps = max(section.batch_rows - 1, 1) / section.batch_rows
        per_second = section.requests_per_second * gaps / n_workers
        share["requests_per_second"] = max(per_second, SLOWEST_PER_SECOND)
    return share


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
            for i in rows.ids
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
    """Extend the claim at half-time for what is not predicted yet; return when it began."""
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
