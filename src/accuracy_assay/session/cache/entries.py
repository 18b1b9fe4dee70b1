"""The cache of a store: a folder of entries, each of them whole or not there.

An entry is a folder of files with a card (JSON). Its name says what it is of, and which state of
that; the next state takes its place. An entry that was cut short or changed is made anew. All of
it may be deleted at any time. Recalling needs the standard library alone.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from accuracy_assay.runtime.secrets import without_password

__all__ = ["Card", "cache_folder", "entry_at", "fingerprint", "keep", "keep_files", "recall"]

Card = Mapping[str, Any]
"""What an entry says of itself, as JSON values."""

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_FORMAT = 2
"""Goes up when older entries would be misread; they are removed then."""
_CARD = "card.json"
_PART = ".part"


def cache_folder(store: object) -> Path | None:
    """Return the folder for a store's address; None for a store in memory.

    Examples
    --------
    >>> cache_folder("audio.assay").name
    'audio.assay.cache'
    """
    if not isinstance(store, str | Path):
        return None
    if "://" not in str(store):
        return Path(f"{store}.cache")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    # Not even as a fingerprint is a password kept.
    address = without_password(str(store))
    return Path(home) / "accuracy-assay" / hashlib.sha256(address.encode()).hexdigest()[:32]


def fingerprint(value: object) -> str:
    """Return a short text that differs for any two JSON values that differ."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def entry_at(cache: Path | None, kind: str, of: object, state: object) -> Path | None:
    """Return where something is kept, whether it is there or not; None without a cache.

    Of one ``kind`` and ``of`` (JSON values) only the entry of the latest ``state`` stays.
    """
    name = f"{kind}-{fingerprint([_FORMAT, of])}-{fingerprint(state)}"
    return None if cache is None else cache / name


def recall(entry: Path | None, read: Callable[[Path, Card], _T]) -> _T | None:
    """Return what ``read`` makes of an entry's folder and card; None where it is not there.

    ``read`` has to open every file that it will need: files that are open outlast their deletion.
    """
    if entry is None:
        return None
    try:
        return read(entry, _card(entry))
    except FileNotFoundError:
        return None
    except Exception as error:  # each library has errors of its own for files that are damaged
        _log.info("what is kept in %s is not used: %s", entry, error)
        with suppress(OSError):
            (entry / _CARD).unlink()  # so that it is made anew
        return None


def keep(entry: Path | None, write: Callable[[Path], Card | None]) -> None:
    """Keep an entry: ``write`` puts files into a folder and returns the card, if it needs one.

    Nothing is kept, and no error raised, where the cache may not be written or is deleted, the
    disk is full, another process is keeping something, or ``write`` raises an `OSError`.
    """
    if entry is None or _is_whole(entry):
        return
    import shutil  # here, since recalling does without

    cache, part = entry.parent, entry.with_name(f"{os.urandom(8).hex()}{_PART}")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(cache):
            for old in _left_over(entry):
                shutil.rmtree(old, ignore_errors=True)
            part.mkdir()
            _write_card(part, write(part) or {})
            part.rename(entry)
    except Exception as error:
        if not isinstance(error, OSError | sqlite3.Error) and part.is_dir():
            raise
        _log.info("nothing is kept in %s: %s", entry, error)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def keep_files(made: Path, cache: Path | None) -> None:
    """Copy the files of a folder into a cache, where there are any."""
    import shutil

    if cache is not None and any(made.iterdir()):
        with suppress(OSError):  # a folder that cannot be written keeps nothing
            shutil.copytree(made, cache, dirs_exist_ok=True)


def _card(entry: Path) -> Card:
    """Return the card of an entry; raise an error unless all of it is as it was written."""
    digest, _, text = (entry / _CARD).read_text(encoding="utf-8").partition("\n")
    whole = json.loads(text)
    if digest != fingerprint(whole) or whole["files"] != _files(entry):
        raise ValueError("it is not as it was written")
    card: Card = whole["card"]
    return card


def _write_card(part: Path, card: Card) -> None:
    """Bring all files to the disk, and write the card that says so."""
    for path in part.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    whole = json.loads(json.dumps({"card": card, "files": _files(part)}))
    with (part / _CARD).open("w", encoding="utf-8") as file:
        file.write(f"{fingerprint(whole)}\n{json.dumps(whole)}")
        file.flush()
        os.fsync(file.fileno())


def _files(entry: Path) -> dict[str, list[int]]:
    """Return size and time of change (ns) of every file but the card."""
    with os.scandir(entry) as inside:
        found = {file.name: file.stat() for file in inside if file.name != _CARD}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in sorted(found.items())}


def _is_whole(entry: Path) -> bool:
    return recall(entry, lambda *_: True) is not None


def _left_over(entry: Path) -> list[Path]:
    """Return what an entry takes the place of, what killed processes left, and what is damaged."""
    cache, (kind, of, _) = entry.parent, entry.name.split("-")
    damaged = [old for old in cache.glob(f"{kind}-*") if not _is_whole(old)]
    return [*cache.glob(f"{kind}-{of}-*"), *cache.glob(f"*{_PART}"), *damaged]


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """Hold the lock of a cache; raise `BlockingIOError` where another process has it."""
    with (cache / "lock").open("w") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except (ImportError, OSError):  # a system, or a disk, without locks
            pass
        yield
