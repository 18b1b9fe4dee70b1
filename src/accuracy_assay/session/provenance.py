"""Where the surface of a session comes from: service, labels, pool and cost, by the events alone.

Whoever replays the events finds the same, but for the version of the software.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from accuracy_assay.runtime.version import __version__
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.snapshots import Snapshot

__all__ = ["provenance_of"]


def provenance_of(seen: Snapshot, journal: Journal) -> dict[str, Any]:
    """Return what is known of the labels and the pool behind a fit, as JSON values."""
    problem = seen.problem
    with journal.reading() as ledger:
        people = {annotator for by in ledger.answers.values() for annotator in by}
        labelled_at, cost = ledger.labelled_at, ledger.cost.get(problem.service.name, 0.0)
    found: dict[str, Any] = {
        "assay": journal.name,
        "service": problem.service.name,
        "labels": len(seen.labels),
        "annotators": len(people),
        "strategy": problem.spec.assay.strategy_name,
        "seed": problem.spec.assay.seed,
        "pool_rows": problem.rows.n_pool,
        "pool_digest": problem.rows.digest,
        "version": __version__,
    }
    if labelled_at is not None:
        when = datetime.fromtimestamp(labelled_at, UTC)
        found["labelled_until"] = when.strftime("%Y-%m-%d %H:%M UTC")
    if cost:
        found["cost"] = cost
    return found
