"""What to say of a path that is neither a table nor a log, and why that may be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from accuracy_assay.files.tables import TABLE_ENDINGS
from accuracy_assay.registry import every_reader

__all__ = ["has_parquet", "unknown"]

_NAMED = 3
"""Files of a folder that are named; the first ones show what it holds."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def has_parquet(folder: str) -> bool:
    """Return whether a folder holds Parquet; a pattern that is one matches some."""
    return not Path(folder).is_dir() or any(Path(folder).rglob("*.parquet"))


def unknown(address: str) -> str:
    """Return what was looked for in vain, and what is odd about the files that are there."""
    path = Path(address)
    if not path.exists():
        return f"what to look at must exist; got {address!r}, which does not."
    endings = ", ".join(ending for ending in TABLE_ENDINGS if not ending.endswith(".gz"))
    readers = ", ".join(every_reader())
    said = (
        f"what to look at must be known; got {address!r}, which is no table ({endings}, also "
        f"with .gz), no folder of Parquet, no log that a reader knows ({readers}), no surface "
        "file and no store of an assay."
    )
    return " ".join([said, *_seen(path)])


def _seen(path: Path) -> Iterator[str]:
    """Yield what is odd about a file, or the first files of a folder."""
    if not path.is_dir():
        reason = _reason(path)
        if reason:
            yield f"It is {reason}."
        return
    with suppress(OSError):
        files = list(islice((p for p in sorted(path.rglob("*")) if p.is_file()), _NAMED + 1))
        if not files:
            yield "The folder has no file."
            return
        named = [f"{p.relative_to(path)}{_in_brackets(_reason(p))}" for p in files[:_NAMED]]
        more = " and others" if len(files) > _NAMED else ""
        yield f"It holds {', '.join(named)}{more}."


def _in_brackets(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _reason(path: Path) -> str:
    """Return why a file may not have been known; the empty text if nothing is odd about it."""
    with suppress(OSError):
        with path.open("rb") as file:
            start = file.read(2)
        if not start:
            return "empty"
        if start in _UTF_16:
            return "UTF-16, as some shells of Windows write; save it as UTF-8"
    return ""
