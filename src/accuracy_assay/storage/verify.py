"""Whether a store is what was written, and all of it; and where not, what of it is whole."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from accuracy_assay.errors import OlderStoreError
from accuracy_assay.storage.chain import count_labels, good_events
from accuracy_assay.storage.heads import OlderStoreWarning
from accuracy_assay.storage.sql import SqlStore

__all__ = ["CheckedAssay", "CheckedStore", "verify_store"]


@dataclass(frozen=True)
class CheckedAssay:
    """One assay of a store: what is whole of it, and what is not.

    Parameters
    ----------
    name
        The assay.
    events, labels
        How many events are as they were written, from the first on, and the labels among them.
    unchecked
        How many of these come from an old store, without a checksum.
    problem
        What is wrong; None where nothing is.
    is_older
        Whether events that were seen before are missing.
    """

    name: str
    events: int
    labels: int
    unchecked: int
    problem: str | None
    is_older: bool


@dataclass(frozen=True)
class CheckedStore:
    """What was found in a store; ``problems`` are those of its file and its log."""

    assays: tuple[CheckedAssay, ...]
    problems: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and all(each.problem is None for each in self.assays)


def verify_store(store: SqlStore) -> CheckedStore:
    """Read all of a store, compare every checksum, and say what is wrong.

    The store should have been opened with ``is_saving``.
    """
    problems = tuple(store.database.problems())  # of the log, before reading changes it
    return CheckedStore(tuple(_checked(store, name) for name in store.list()), problems)


def _checked(store: SqlStore, name: str) -> CheckedAssay:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", OlderStoreWarning)
        events, damage = good_events(store, name)
    problem = str(damage) if damage is not None else next((str(w.message) for w in said), None)
    unchecked = sum(not recorded.is_checked for recorded in events)
    is_older = isinstance(damage, OlderStoreError) or (damage is None and problem is not None)
    return CheckedAssay(name, len(events), count_labels(events), unchecked, problem, is_older)
