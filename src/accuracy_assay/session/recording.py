"""Writing answers: all of them or none, and only what says something new."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import ConflictError
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger

__all__ = ["record", "refuse_conflict"]


def record(journal: Journal, events: Sequence[Told | Skipped]) -> int:
    """Write answers and skips that say something new, and return how many answers are new.

    Raises
    ------
    ConflictError
        If an annotator had given another answer before and does not say that it is replaced.
    """
    with journal.reading() as ledger:
        told = [e for e in events if isinstance(e, Told)]
        for answers in told:
            refuse_conflict(ledger, ledger.conflict(answers), answers.annotator)
        n_new = sum(ledger.n_new(answers) for answers in told)
        news = [e for e in events if ledger.is_news(e)]
        if not news:
            return 0
        last = journal.append(*news)
        for seq, event in zip(range(last - len(news) + 1, last + 1), news, strict=True):
            refuse_conflict(ledger, ledger.refused.get(seq), event.annotator)
    return n_new


def refuse_conflict(ledger: Ledger, instance: str | None, annotator: str) -> None:
    """Raise an error that names an instance, if any, that was answered in another way before."""
    if instance is None:
        return
    before = ledger.answers[instance][annotator].label
    raise ConflictError(
        f"answer of {annotator!r} to instance {instance!r} must stay {before!r}, as told before; "
        "got another one, and nothing was recorded. Say that it replaces the old one "
        "(replace=True, or --replace) to change it."
    )
