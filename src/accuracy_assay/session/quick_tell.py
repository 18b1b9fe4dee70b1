"""Answers told to a store whose pool is kept: no table is read, and no large library is loaded.

The answers are checked and written by the same functions as those of a session (`told_event`,
`record`); only what they look up is smaller. Where anything is missing for that, nothing is done
and a session has to take its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from accuracy_assay.files.texts import as_texts, find_text, text_positions
from accuracy_assay.session.answers import told_event
from accuracy_assay.session.cache.entries import cache_folder
from accuracy_assay.session.cache.pool import KeptPool, find_pool
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.recording import record
from accuracy_assay.storage.sqlite import open_sqlite

__all__ = ["Telling", "quick_tell"]


@dataclass(frozen=True)
class Telling:
    """What telling came to: new answers, labelled instances, and the budget."""

    new: int
    labels: int
    spent: int
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
            kept, sections = _known(store, ledger)
        if kept is None or not is_trusted(tuple(kept.card["reach"])):
            return None
        rows: Any = _Rows(kept)  # as much of `AssayRows` as is looked up
        event = told_event(
            sections,
            rows,
            [instance for instance, _ in answers],
            [label for _, label in answers],
            annotator,
            is_replacing=is_replacing,
        )
        n_new = record(journal, [event])
        with journal.reading() as ledger:
            spent = ledger.spent(journal.clock())
            return Telling(n_new, len(ledger.answers), spent, ledger.budget)
    except _NeedsSessionError:
        return None
    finally:
        home.close()


class _NeedsSessionError(Exception):
    """Something that only the tables, or all of the spec, can tell."""


def _known(store: str, ledger: Ledger) -> tuple[KeptPool | None, Any]:
    """Return the pool if it is kept and the one that the assay knows, and the spec's sections."""
    if ledger.opened is None:
        return None, None
    spec = (ledger.edited or ledger.opened).spec
    kept = KeptPool.recall(find_pool(cache_folder(store), spec))
    if kept is None or kept.card["ids_digest"] != ledger.opened.ids_digest:
        return None, None
    columns = kept.card["columns"]
    if any(columns.get(name, digest) != digest for name, digest in ledger.columns.items()):
        return None, None
    return kept, SimpleNamespace(
        label=SimpleNamespace(choices=tuple(spec["label"]["choices"])),
        attribute=[SimpleNamespace(**section) for section in spec["attribute"]],
    )


@dataclass(frozen=True)
class _Rows:
    """What `told_event` looks up of the rows."""

    kept: KeptPool

    @property
    def space(self) -> _Rows:
        """The attributes, which are looked up here too."""
        return self

    def find_id(self, value: Any) -> str:
        """Return an id as the pool writes it."""
        return self.kept.find_id(value)

    def attribute(self, name: str) -> _Attribute:
        """Return the attribute called ``name``."""
        found = next(each for each in self.kept.card["space"] if each["name"] == name)
        return _Attribute(as_texts(found["values"]))


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
