"""What is kept of a pool that was read and checked, so that a command need not read it again.

An entry has a card (what the spec wants of the tables, fingerprints, attributes, seed labels) and
the ids; of a large pool also the columns that surfaces rest on, and its cells. It is found by the
spec and by the stamps of the tables: a table that changed has no entry, and is read. Finding one,
and looking up ids, needs the standard library alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_text
from accuracy_assay.session.cache.entries import Card, entry_at, recall
from accuracy_assay.session.cache.ids import KeptIds
from accuracy_assay.session.cache.stamps import Stamp, settled_stamp, stamp_of

if TYPE_CHECKING:
    from accuracy_assay.session.cache.cells import KeptCells
    from accuracy_assay.session.cache.table import KeptTable

__all__ = ["IDS", "KeptPool", "PoolEntry", "find_pool"]

IDS = "ids.sqlite"
"""The file of the ids."""


@dataclass(frozen=True)
class PoolEntry:
    """Where a pool is kept, whether it is there or not, and its tables with their stamps."""

    path: Path
    tables: tuple[str, ...]
    stamps: tuple[Stamp, ...]

    @property
    def is_current(self) -> bool:
        """Whether the tables still are as they were stamped."""
        return all(stamp_of(t) == s for t, s in zip(self.tables, self.stamps, strict=True))

    def require_current(self) -> None:
        """Raise an error if a table is not as it was stamped."""
        if not self.is_current:
            raise InputError(
                "the pool must stay as it is while a command works with it; got one that changed "
                "meanwhile. Repeat the command."
            )


@dataclass(frozen=True, eq=False)
class KeptPool:
    """A pool that is kept: its card and its ids; of a large one also a table and the cells."""

    entry: PoolEntry
    card: Card
    ids: KeptIds
    table: KeptTable | None = None
    cells: KeptCells | None = None

    @classmethod
    def recall(cls, entry: PoolEntry | None) -> KeptPool | None:
        """Return a pool without its table and cells, for commands that look up nothing but ids."""
        if entry is None:
            return None
        return recall(entry.path, lambda folder, card: cls(entry, card, KeptIds(folder / IDS)))

    def find_id(self, value: Any) -> str:
        """Return the id of a pool row as the pool writes it, as `AssayRows.find_id` does."""
        row = self.ids.find(value)
        if row is None or row >= self.card["n_pool"]:
            raise InputError(f"instance must have an id of the pool; got {as_text(value)!r:.80}.")
        return str(self.ids[row])


def find_pool(
    cache: Path | None, spec: Mapping[str, Any], pool: object = None, seed_set: object = None
) -> PoolEntry | None:
    """Return where the pool of a spec is kept; None where none can be.

    ``spec`` is as the store has it; ``pool`` and ``seed_set`` are used in place of its files.
    """
    section = spec.get("pool", {})
    given = [section.get("path") if pool is None else pool]
    beside = section.get("seed_set") if seed_set is None else seed_set
    given += [] if beside is None else [beside]
    if cache is None or not all(_is_file(table) for table in given):
        return None
    tables = tuple(str(table) for table in given)
    stamps = tuple(stamp for table in tables if (stamp := settled_stamp(table)))
    # Budgets, methods and leases say nothing of tables.
    wanted = {key: value for key, value in spec.items() if key != "assay"}
    entry = entry_at(cache, "pool", wanted, stamps)
    if entry is None or len(stamps) < len(tables):
        return None
    return PoolEntry(entry, tables, stamps)


def _is_file(table: object) -> bool:
    return isinstance(table, str | Path) and str(table) != "-" and "://" not in str(table)
