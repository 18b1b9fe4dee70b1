"""How many answers came in on each day, and whose they were."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from accuracy_assay.domain.events import Told
from accuracy_assay.session.session import Session

__all__ = ["answers_by_day"]


def answers_by_day(session: Session) -> dict[str, dict[str, int]]:
    """Return the number of answers by day (in UTC, such as ``2026-11-11``) and annotator.

    Answers that were changed or taken back later count on their day: this is work that was done.
    """
    found: dict[str, Counter[str]] = {}
    for entry in session.journal.store.read(session.name):
        if isinstance(entry.event, Told):
            day = datetime.fromtimestamp(entry.at, UTC).date().isoformat()
            by_annotator = found.setdefault(day, Counter())
            by_annotator[entry.event.annotator] += len(entry.event.ids)
    return {day: dict(sorted(found[day].items())) for day in sorted(found)}
