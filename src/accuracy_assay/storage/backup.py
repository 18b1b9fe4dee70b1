"""A copy of a store, made while others write, whole or not at all, and compared before it counts.

SQLite copies its own file. Between databases of different kinds the rows are copied as they are:
numbers, times and checksums stay, so the copy is the same assay.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError, OlderStoreError
from accuracy_assay.files.whole_file import whole_path
from accuracy_assay.storage.chain import count_labels
from accuracy_assay.storage.heads import Heads
from accuracy_assay.storage.schema import VERSION, Connection
from accuracy_assay.storage.sql import SqlStore
from accuracy_assay.storage.sqlite import SqliteDatabase, open_sqlite

__all__ = ["Backup", "back_up", "copy_into"]

_COLUMNS = ("assay", "seq", "at", "kind", "payload", "token", "checksum")
_ROWS = 1_000
"""Rows written at once: megabytes at most."""
_LOGS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True)
class Backup:
    """What a copy holds."""

    assays: tuple[str, ...]
    events: int
    labels: int


def back_up(store: SqlStore, path: Path, *, is_replacing: bool = False) -> Backup:
    """Copy a store to a file.

    Parameters
    ----------
    store
        The store; others may write to it meanwhile.
    path
        The file. One that is there must be an earlier copy of the same store.
    is_replacing
        Whether any store that is there is replaced, with its log: for restoring a copy.

    Raises
    ------
    InputError
        If a file is there that is not a store, or holds what the copy would not.
    DamageError
        If the store is damaged, or older than what was seen of it.
    """
    for name in store.list():
        store.read(name)
    if path.exists():
        _refuse_loss(store, path, is_replacing)
    with whole_path(path, "backup") as part:
        _copy(store, part, path)
        made = _compared(store, part)
        for log in _LOGS:  # a log of another file would be read as this one's
            Path(f"{os.path.realpath(path)}{log}").unlink(missing_ok=True)
    heads = Heads.of(os.path.realpath(path))
    for first, head in store.seen_heads():
        heads.note(first, head, is_accepted=True)
    return made


def copy_into(store: SqlStore, target: SqlStore) -> Backup:
    """Copy the assays of a store into another one, which must have none of their names."""
    with store.database.transaction(is_reading=True) as source:
        query = "SELECT name, last_seq, checksum FROM assay_names ORDER BY name"
        names = [tuple(row) for row in source.execute(query)]
        if taken := set(target.list()) & {name for name, _, _ in names}:
            raise InputError(
                f"a store must have no assay of a name to take it in; got {sorted(taken)[0]!r}, "
                "which it has."
            )
        with target.database.transaction(is_reading=False) as writing:
            for name, last, digest in names:
                values = {"name": name, "last": last, "digest": digest}
                writing.execute(
                    "INSERT INTO assay_names (name, last_seq, checksum) "
                    "VALUES (:name, :last, :digest)",
                    values,
                )
                _copy_events(source, writing, values)
    heads, target.heads = target.heads, None
    made = _counted(target)
    if heads is not None:
        for first, head in target.seen_heads():
            heads.note(first, head, is_accepted=True)
    return made


def _copy_events(source: Connection, target: Connection, values: Mapping[str, Any]) -> None:
    columns = ", ".join(_COLUMNS)
    query = (
        f"SELECT {columns} FROM assay_events WHERE assay = :name AND seq > :after "
        "AND seq <= :last ORDER BY seq LIMIT :most"
    )
    into = f"INSERT INTO assay_events ({columns}) VALUES ({', '.join(':' + c for c in _COLUMNS)})"
    after = 0
    limits = {"name": values["name"], "last": values["last"], "most": _ROWS}
    while rows := list(source.execute(query, {**limits, "after": after})):
        target.execute_many(into, [dict(zip(_COLUMNS, row, strict=True)) for row in rows])
        after = int(rows[-1][1])


def _copy(store: SqlStore, part: Path, path: Path) -> None:
    if isinstance(store.database, SqliteDatabase):
        store.database.copy_to(part, path)
        return
    target = open_sqlite(str(part), is_new=True)
    target.heads = None  # it is not at its place yet
    try:
        copy_into(store, target)
    finally:
        target.close()


def _compared(store: SqlStore, part: Path) -> Backup:
    """Return what the copy holds; all that was read in the store must be in it."""
    copy = SqlStore(SqliteDatabase(part))
    copy.expect(store)
    try:
        return _counted(copy)
    finally:
        copy.close()


def _counted(store: SqlStore) -> Backup:
    names = store.list()
    events = [event for name in names for event in store.read(name)]
    return Backup(names, len(events), count_labels(events))


def _refuse_loss(store: SqlStore, path: Path, is_replacing: bool) -> None:
    """Refuse to replace a file that is not a store, or holds events that the copy would not."""
    there = open_sqlite(str(path), is_saving=is_replacing)
    there.heads = None
    if is_replacing:
        there.close()
        return
    try:
        for name in there.list():
            there.read(name)
        store.hold(there)
    except (OlderStoreError, InputError):
        raise InputError(
            f"backup must not replace what it does not hold; got {str(path)!r}, a store with "
            "events that are not in this one. Give another path, or --replace to restore over it."
        ) from None
    finally:
        there.close()


assert VERSION == 3, "the columns that are copied are those of the third version"
