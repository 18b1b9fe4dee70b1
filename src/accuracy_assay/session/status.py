"""The state of an assay in a few numbers, without a fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from accuracy_assay.metrics.design_check import disagreement
from accuracy_assay.metrics.labels_to_halve import labels_to_halve
from accuracy_assay.session.fits import Fits
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.pool_answers import n_given
from accuracy_assay.session.service_problem import score_answers
from accuracy_assay.session.session import Session
from accuracy_assay.spec.model import ServiceSection

__all__ = [
    "JudgeStatus",
    "ServiceStatus",
    "Status",
    "count_status",
    "expected_errors",
    "raw_agreement",
    "recorded_closeness",
]


@dataclass(frozen=True)
class ServiceStatus:
    """One service: what it has answered, what that cost, and its last fit.

    ``expected_macro_mse`` is what the last fit expects its own mean squared error over arms to
    be, times 100; ``labels_to_halve`` how many more labels would halve it, going by the fits so
    far. Each is None before there are fits enough, or where the estimator does not say.
    ``half_width`` is that of the spec's ``stop`` at the last fit; ``check`` the overall accuracy
    by the chances of the labels and ``overall`` by the surface (mean, lower, upper), both None
    where some instances had no chance; ``disagreement`` says it where they exclude each other.
    """

    name: str
    predicted: int
    cost: float
    fitted_labels: int | None
    expected_macro_mse: float | None
    labels_to_halve: float | None = None
    half_width: float | None = None
    overall: tuple[float, float, float] | None = None
    check: tuple[float, float, float] | None = None
    disagreement: str | None = None


@dataclass(frozen=True)
class JudgeStatus:
    """One judge of one service: how many answers it has judged, and what that cost."""

    name: str
    service: str
    judged: int
    cost: float


@dataclass(frozen=True)
class Status(Mapping[str, Any]):
    """The state of an assay.

    Parameters
    ----------
    name
        Name of the assay.
    labels
        Instances with an answer.
    budget, spent
        Labels that may be asked for, and how many of them are answered or held.
    asked
        Instances that were ever asked for.
    held
        Instances that annotators hold now.
    answers, annotators
        Answers in all, and by annotator.
    disputed
        Instances to which annotators gave different answers.
    skipped
        Instances that someone skipped.
    pool, seed_labels
        Instances of the pool, and labels of the seed set.
    stop
        What the spec's ``stop`` wants: ``half_width``, ``for`` and ``where``; None without one.
    services
        One `ServiceStatus` for each service.
    events
        Number of the last event.
    judges
        One `JudgeStatus` for each judge of each service.
    goal, choosing
        What labels are chosen for, by name and in words that follow "labels are chosen".
    at_random
        Labels whose instance was drawn at random from the pool.
    label_trust
        How far the labels are verified, in words; None as long as no two answers can be compared.
    """

    name: str
    labels: int
    budget: int
    spent: float
    asked: int
    held: int
    answers: int
    annotators: Mapping[str, int]
    disputed: int
    skipped: int
    pool: int
    seed_labels: int
    services: tuple[ServiceStatus, ...]
    events: int
    stop: Mapping[str, Any] | None = None
    judges: tuple[JudgeStatus, ...] = ()
    goal: str = ""
    choosing: str = ""
    at_random: int = 0
    label_trust: str | None = None

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return any(field.name == name for field in fields(self))

    def __iter__(self) -> Iterator[str]:
        return iter(field.name for field in fields(self))

    def __len__(self) -> int:
        return len(fields(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def count_status(session: Session) -> Status:
    """Return the state of an assay."""
    parts = session.parts()
    spec, rows, snapshots = parts.spec, parts.rows, parts.snapshots
    is_random = parts.asking.strategy.is_random
    with session.journal.reading() as ledger:
        now, crowd = session.journal.clock(), snapshots.crowd(ledger)
        return Status(
            name=session.name,
            labels=len(ledger.answers),
            at_random=sum(i in ledger.at_random for i in ledger.answers),
            budget=spec.assay.budget,
            spent=ledger.spent(now),
            asked=len(ledger.asked),
            held=len(ledger.leases.held(now)),
            answers=ledger.n_answers.total(),
            annotators=dict(sorted(ledger.n_answers.items())),
            disputed=len(ledger.disputed),
            skipped=len(ledger.skips),
            pool=rows.n_pool,
            seed_labels=len(rows.seed_labels),
            services=tuple(_of_service(s, parts.fits, ledger, is_random) for s in spec.service),
            events=ledger.seq,
            stop=None if spec.assay.stop is None else spec.assay.stop.model_dump(mode="json"),
            judges=tuple(
                JudgeStatus(
                    judge.name,
                    service.name,
                    n_given(snapshots.predictions(judge.of(service.name), ledger)),
                    ledger.cost.get(judge.of(service.name).name, 0.0),
                )
                for service in spec.service
                for judge in spec.judge
                if judge.of(service.name) in spec.judges_of(service)
            ),
            goal=spec.assay.chosen_for,
            choosing=spec.assay.choosing,
            label_trust=None if crowd is None else str(crowd.trust),
        )


def raw_agreement(session: Session, service: str) -> tuple[float | None, int]:
    """Return how well a service agrees with the labels so far, and how many these are.

    This is the plain mean over the labels that people gave, which were not drawn as the pool is:
    the surface says how accurate the service is. It is None where there are no labels.
    """
    parts = session.parts()
    with session.journal.reading() as ledger:
        known = parts.snapshots.predictions(parts.spec.find_service(service), ledger)
        met = [i for i in ledger.answers if i in known]
        if not met:
            return None, 0
        told = parts.snapshots.told(ledger)
        truths = [(told.get(i) or ledger.resolve(i)).label for i in met]
        answers = [known[i][0] for i in met]
    scores = score_answers(parts.spec.label.agreement, truths, answers)
    return float(scores.mean()), len(met)


def expected_errors(session: Session, service: str) -> dict[int, float]:
    """Return what the fits so far expected of their own error, by their numbers of labels.

    The error is the mean squared one over arms, times 100, as in `ServiceStatus`.
    """
    with session.journal.reading() as ledger:
        return dict(sorted(ledger.expectations.get(service, {}).items()))


def recorded_closeness(session: Session, service: str) -> dict[int, tuple[float, float]]:
    """Return how closely watched fits knew the whole and a slice, by their numbers of labels."""
    with session.journal.reading() as ledger:
        return dict(ledger.known_to.get(service, {}))


def _of_service(
    service: ServiceSection, fits: Fits, ledger: Ledger, is_random: bool
) -> ServiceStatus:
    made = fits.last_made(service, ledger)
    expected = ledger.expectations.get(service.name, {})
    labels = sorted(expected)
    overall, check = (None, None) if made is None else (made.overall, made.check)
    return ServiceStatus(
        service.name,
        len(fits.snapshots.predictions(service, ledger)),
        ledger.cost.get(service.name, 0.0),
        None if made is None else made.n_labels,
        None if made is None else made.expected_macro_mse,
        labels_to_halve(labels, [expected[n] for n in labels], is_random=is_random),
        None if made is None else made.half_width,
        overall,
        check,
        disagreement(overall, check) if overall is not None and check is not None else None,
    )
