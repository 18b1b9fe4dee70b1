"""Answers told to a store whose pool is kept: no table is read, and no large library is loaded.

They are carried out by the same function as those of a session; only what ids and labels are
checked against is smaller. Where anything is missing for that, nothing is done and a session has
to take its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from accuracy_assay.files.texts import as_texts, find_text, text_positions
from accuracy_assay.session.answers import AnswerRules
from accuracy_assay.session.cache.entries import cache_folder
from accuracy_assay.session.cache.pool import KeptPool, find_pool
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.requests import Tell, accepted, carry_out
from accuracy_assay.storage.sqlite import open_sqlite

__all__ = ["Telling", "quick_tell"]


@dataclass(frozen=True)
class Telling:
    """What telling came to: new answers, labelled instances, and the budget."""

    new: int
    labels: int
    spent: float
    budget: int


def quick_tell(
    store: str,
    answers: Sequence[tuple[str, str]],
    annotator: str,
    name: str | None = None,
    *,
    is_replacing: bool = False,
    is_trusted: Callable[[tuple[str, ...]], bool],
) -> Telling | None:
    """Record answers (id, label); None, with nothing done, where it takes a session.

    Parameters
    ----------
    store
        Path of the store's file.
    answers, annotator, is_replacing
        As in ``Assay.tell``.
    name
        Which assay, where the store has several.
    is_trusted
        Whether a spec that reaches so far beyond its tables was agreed to.
    """
    if not Path(store).is_file():
        return None
    home = open_sqlite(store)
    try:
        names = home.list()
        if name not in names and (name is not None or len(names) != 1):
            return None
        journal = Journal(home, names[0] if name is None else name, Ledger())
        with journal.reading() as ledger:
            kept = _kept(store, ledger)
        if kept is None or not is_trusted(tuple(kept.card["reach"])):
            return None
        ids = tuple(instance for instance, _ in answers)
        labels = tuple(label for _, label in answers)
        request = Tell(annotator, ids, labels, replace=is_replacing)
        (new,) = accepted(carry_out(journal, _rules(kept, ledger), [request], is_whole=True))
        with journal.reading() as ledger:
            spent = ledger.spent(journal.clock())
            return Telling(len(new), len(ledger.answers), spent, ledger.budget)
    except _NeedsSessionError:
        return None
    finally:
        home.close()


class _NeedsSessionError(Exception):
    """Something that only the tables, or all of the spec, can tell."""


def _kept(store: str, ledger: Ledger) -> KeptPool | None:
    """Return the pool if it is kept and the one that the assay knows."""
    if ledger.opened is None:
        return None
    kept = KeptPool.recall(find_pool(cache_folder(store), ledger.spec))
    if kept is None or kept.card["ids_digest"] != ledger.opened.ids_digest:
        return None
    columns = kept.card["columns"]
    if any(columns.get(name, digest) != digest for name, digest in ledger.columns.items()):
        return None
    return kept


def _rules(kept: KeptPool, ledger: Ledger) -> AnswerRules:
    """Return the rules of the spec as it is stored, over what is kept of the tables."""
    spec = ledger.spec
    values = {each["name"]: each["values"] for each in kept.card["space"]}
    return AnswerRules(
        kept.find_id,
        lambda name: _Attribute(as_texts(values[name])),
        tuple(spec["label"]["choices"]),
        [section["name"] for section in spec["attribute"] if section.get("from_label")],
        60.0 * spec["assay"].get("lease_minutes", 0.0),
        spec["label"].get("answer") or "one",
    )


@dataclass(frozen=True)
class _Attribute:
    """An attribute that a label reveals."""

    values: tuple[str, ...]

    def code(self, value: object) -> int:
        """Return the code of a value; one that is not written so is for a session to judge."""
        found = find_text(value, text_positions(self.values))
        if found is None:
            raise _NeedsSessionError
        return found
