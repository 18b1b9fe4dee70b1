"""Where the page of a store is being served on this machine, for those who make links to it.

A server leaves a small file in the store's cache and holds a lock on it. The lock ends with the
process, however that ends, so a file that nobody holds is a leftover.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from accuracy_assay.session.cache.entries import cache_folder

__all__ = ["announced", "find_address"]

_KIND = "page"


@contextmanager
def announced(store: str, name: str, address: str) -> Iterator[None]:
    """Let others on this machine find the page of an assay while the block runs.

    A cache that cannot be written announces nothing; the page is served all the same.
    """
    path, file = _folder(store) / f"{_KIND}-{os.urandom(8).hex()}.json", None
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.with_suffix(".part").open("w", encoding="utf-8")
        with suppress(ImportError, OSError):
            _lock(file)
        json.dump({"name": name, "address": address}, file)
        file.flush()
        os.replace(file.name, path)
    try:
        yield
    finally:
        if file is not None:
            path.unlink(missing_ok=True)
            file.close()


def find_address(store: str, name: str) -> str | None:
    """Return the address at which the page of an assay is served; None if it is not.

    If there are several, the one that was started last. Leftovers of killed servers are removed.
    """
    found: list[tuple[float, str]] = []
    for path in [*_folder(store).glob(f"{_KIND}-*.json")]:
        with suppress(OSError, ValueError, KeyError, TypeError), path.open("r+") as file:
            if not _is_held(file):
                path.unlink()
                continue
            content = json.load(file)
            if content["name"] == name:
                found.append((path.stat().st_mtime, str(content["address"])))
    return max(found)[1] if found else None


def _folder(store: str) -> Path:
    folder = cache_folder(store)
    assert folder is not None  # only a store in memory has none, and it has no address
    return folder


def _is_held(file: IO[str]) -> bool:
    """Return whether the process that announced a page is still there."""
    try:
        _lock(file)
    except (ImportError, OSError):  # held; or a system or disk without locks, where none is known
        return True
    return False


def _lock(file: IO[str]) -> None:
    """Lock a file until it is closed; raise `OSError` where another process has done so."""
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
