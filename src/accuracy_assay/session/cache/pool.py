"""What is kept of a pool that was read and checked, so that a command need not read it again.

A folder beside the store holds a card (JSON: what the spec wants of the tables, their stamps,
fingerprints, attributes, seed labels) and an index of the ids; of large pools also their cells
(``assay.kept_cells``). Its name says which spec and which stamps it is of: a table that changed
has no folder, and is read. A folder appears whole or not at all. It is a cache: it may be deleted
at any time. Reading it needs the standard library alone.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_text, normal_text
from accuracy_assay.session.cache.stamps import Stamp, settled_stamp, stamp_of
from accuracy_assay.session.cache.text_index import TextIndex

__all__ = ["KeptPool", "Place", "find_place", "keep_pool", "kept_pool"]

_log = logging.getLogger(__name__)

_FORMAT = 1
"""Goes up when older folders would be misread; they are made anew then."""
_CARD = "card.json"
_PART = ".part"


@dataclass(frozen=True)
class Place:
    """Where a pool is kept: the folder of the cache, which spec, which state of the tables."""

    cache: Path
    spec: str
    stamps: tuple[Stamp, ...]
    tables: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The folder of this pool."""
        return self.cache / f"pool-{self.spec}-{_digest(self.stamps)}"

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
    """A pool that is kept."""

    folder: Path
    card: Mapping[str, Any]

    @cached_property
    def ids(self) -> TextIndex:
        """The ids, those of the pool first."""
        return TextIndex(self.folder, "ids")

    @property
    def n_pool(self) -> int:
        """Rows of the pool."""
        return int(self.card["n_pool"])

    def row(self, value: Any) -> int | None:
        """Return the row of an id, however ``value`` is written; None where there is none."""
        text = as_text(value)
        found = self.ids.find(text)
        if found or (not text and not isinstance(value, str)):
            return found[0] if found else None
        normal = normal_text(text)
        if found := self.ids.find(normal):
            return found[0]
        others = self._normal.find(normal) if self._normal is not None else []
        return self._rows_of_normal[others[0]] if len(others) == 1 else None

    def find_id(self, value: Any) -> str:
        """Return the id of a pool row as the pool writes it, as `AssayRows.find_id` does."""
        row = self.row(value)
        if row is None or row >= self.n_pool:
            raise InputError(f"instance must have an id of the pool; got {as_text(value)!r:.80}.")
        return self.ids[row]

    @cached_property
    def _normal(self) -> TextIndex | None:
        """The normal texts of those ids that are written in another way."""
        return TextIndex(self.folder, "normal") if self.card["has_normal"] else None

    @cached_property
    def _rows_of_normal(self) -> memoryview:
        content = (self.folder / "normal.rows").read_bytes()
        return memoryview(content).cast("Q")


def find_place(
    cache: Path | None, spec: Mapping[str, Any], pool: object = None, seed_set: object = None
) -> Place | None:
    """Return where a pool is kept, whether it is there or not; None where none can be.

    Parameters
    ----------
    cache
        The folder of the store; None for a store in memory.
    spec
        The spec as the store has it.
    pool, seed_set
        What is used in place of the files of the spec.
    """
    section = spec.get("pool", {})
    given = [section.get("path") if pool is None else pool]
    beside = section.get("seed_set") if seed_set is None else seed_set
    given += [] if beside is None else [beside]
    if cache is None or not all(_is_file(table) for table in given):
        return None
    tables = tuple(str(table) for table in given)
    stamps = [stamp for table in tables if (stamp := settled_stamp(table))]
    if len(stamps) < len(tables):
        return None
    # Budgets, methods and leases say nothing of tables.
    wanted = {key: value for key, value in spec.items() if key != "assay"}
    whole = [_FORMAT, sys.byteorder, wanted]
    return Place(cache, _digest(whole), tuple(stamps), tables)


def kept_pool(place: Place | None) -> KeptPool | None:
    """Return the pool that is kept at a place, None where there is none, or it is damaged."""
    if place is None:
        return None
    try:
        content = (place.folder / _CARD).read_bytes()
        card = json.loads(content)
        sizes = {name: (place.folder / name).stat().st_size for name in card["sizes"]}
        return KeptPool(place.folder, card) if sizes == card["sizes"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_pool(place: Place, write: Callable[[Path], Mapping[str, Any]]) -> None:
    """Keep a pool: ``write`` puts files into a folder and returns the card.

    Processes that read the same pool take turns, and the later ones find it kept. What a killed
    one left half-done is removed. Nothing is kept where the folder may not be written, the disk is
    full, or the tables changed meanwhile.
    """
    import shutil  # here, since reading does without

    part = place.cache / f"{os.urandom(8).hex()}{_PART}"
    try:
        place.cache.mkdir(parents=True, exist_ok=True)
        with _turn(place.cache):
            if kept_pool(place) is not None:
                return
            for left in place.cache.glob(f"*{_PART}"):
                shutil.rmtree(left, ignore_errors=True)
            part.mkdir()
            _finish(part, write(part))
            if place.is_current:
                for old in place.cache.glob(f"pool-{place.spec}-*"):
                    shutil.rmtree(old, ignore_errors=True)
                part.rename(place.folder)
    except OSError as error:
        _log.info("the pool is not kept: %s", error)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _finish(part: Path, card: Mapping[str, Any]) -> None:
    """Write the card, and bring all files to the disk."""
    sizes = {file.name: file.stat().st_size for file in sorted(part.iterdir())}
    (part / _CARD).write_text(json.dumps({**card, "sizes": sizes}))
    for file in part.iterdir():
        with file.open("rb") as written:
            os.fsync(written.fileno())


@contextmanager
def _turn(cache: Path) -> Iterator[None]:
    """Wait until no other process of this machine keeps a pool in this folder."""
    with (cache / "pool.lock").open("w") as file:
        with suppress(ImportError, OSError):  # a system, or a disk, without locks
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_file(table: object) -> bool:
    return isinstance(table, str | Path) and str(table) != "-" and "://" not in str(table)


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
