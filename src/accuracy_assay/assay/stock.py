"""Counts of a ledger as a status: labels, money, and the error to expect."""

from __future__ import annotations

from collections import Counter

from accuracy_assay.assay.guidance import Guidance
from accuracy_assay.assay.ledger import Ledger
from accuracy_assay.assay.pool_rows import PoolRows
from accuracy_assay.assay.status import ServiceStatus, Status
from accuracy_assay.metrics.forecast import labels_to_halve
from accuracy_assay.spec.model import ServiceSection, Spec

__all__ = ["take_stock"]


def take_stock(
    name: str, spec: Spec, rows: PoolRows, guidance: Guidance, ledger: Ledger, now: float
) -> Status:
    """Return where the assay called ``name`` stands at the time ``now``."""
    told = Counter(a for by in ledger.answers.values() for a in by)
    return Status(
        name=name,
        labels=len(ledger.answers),
        budget=spec.assay.budget,
        spent=ledger.spent(now),
        asked=len(ledger.asked),
        held=sum(ledger.n_held(i, now) > 0 for i in ledger.leases),
        answers=told.total(),
        annotators=dict(sorted(told.items())),
        disputed=sum(ledger.resolve(i).is_disputed for i in ledger.answers),
        skipped=len(ledger.skips),
        pool=rows.n_pool,
        seed_labels=len(rows.seed_labels),
        services=tuple(_of_service(s, spec, guidance, ledger) for s in spec.service),
        events=ledger.seq,
    )


def _of_service(
    service: ServiceSection, spec: Spec, guidance: Guidance, ledger: Ledger
) -> ServiceStatus:
    made = guidance.last_made(service, ledger)
    expected = ledger.expectations.get(service.name, {})
    labels = sorted(expected)
    return ServiceStatus(
        service.name,
        len(guidance.predictions(service, ledger)),
        ledger.cost.get(service.name, 0.0),
        None if made is None else made.n_labels,
        None if made is None else made.expected_macro_mse,
        labels_to_halve(
            labels, [expected[n] for n in labels], is_random=spec.assay.strategy == "random"
        ),
    )
