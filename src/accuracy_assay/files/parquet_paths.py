"""Where Parquet is: a file, a folder of files, a pattern, or an address that fsspec opens."""

from __future__ import annotations

from collections.abc import Sequence
from glob import escape, glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accuracy_assay.errors import InputError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = ["file_system", "find_parquet", "is_address", "is_folder"]

_ENDING = ".parquet"
_BETWEEN = "://"
_STORES = ("postgres", "sqlite")
"""How addresses of stores begin; all others are addresses of tables."""


def is_address(text: str) -> bool:
    """Return whether a text is the address of a table.

    Examples
    --------
    >>> is_address("s3://bucket/rows"), is_address("postgresql://host/db"), is_address("rows.csv")
    (True, False, False)
    """
    return _BETWEEN in text and not text.startswith(_STORES)


def is_folder(text: str) -> bool:
    """Return whether a text names a folder, or a pattern that Parquet files match."""
    if _BETWEEN in text:
        return False
    return Path(text).is_dir() or _is_pattern(text)


def find_parquet(rows: object, *, what: str = "rows") -> tuple[str, ...]:
    """Return the Parquet files of a path, a pattern or an address, in order.

    Names are escaped for DuckDB, so no character is a wildcard. A path with another ending has no
    files; nor has a missing or empty file, which `accuracy_assay.files.tables` refuses.

    Raises
    ------
    InputError
        If a folder or a pattern has no Parquet in it, or an address cannot be opened.
    """
    if not isinstance(rows, str | Path):
        return ()
    text = str(rows)
    if is_address(text):
        return _at_address(text, what)
    if is_folder(text):
        found = _in_folder(text) if Path(text).is_dir() else sorted(glob(text, recursive=True))
        return tuple(escape(name) for name in _require_some(found, text, what))
    path = Path(text)
    if path.suffix.lower() != _ENDING or not path.is_file() or not path.stat().st_size:
        return ()
    return (escape(text),)


def file_system(address: str, what: str = "rows") -> AbstractFileSystem:
    """Return the file system of an address.

    Raises
    ------
    InputError
        If fsspec cannot open such addresses, or the package for them is not installed.
    """
    from fsspec.core import url_to_fs

    try:
        opened: AbstractFileSystem = url_to_fs(address)[0]
    except (ImportError, ValueError) as error:
        raise InputError(
            f"{what} must be a file, a folder or an address that fsspec opens; got {address!r}: "
            f"{_first_line(error)}."
        ) from None
    return opened


def _is_pattern(text: str) -> bool:
    return has_magic(text) and text.lower().endswith(_ENDING) and not Path(text).exists()


def _in_folder(folder: str) -> list[str]:
    """Return the files below a folder, without names that begin with ``.`` or ``_``."""
    top = Path(folder)
    return sorted(str(path) for path in top.rglob(f"*{_ENDING}") if _counts(path.relative_to(top)))


def _counts(path: Path) -> bool:
    return not any(part.startswith((".", "_")) for part in path.parts)


def _at_address(address: str, what: str) -> tuple[str, ...]:
    system = file_system(address, what)
    try:
        found = _listed(system, address)
    except Exception as error:  # each file system has its own errors
        raise InputError(
            f"{what} must be an address that can be read; got {address!r}: {_first_line(error)}."
        ) from None
    names = _require_some(sorted(found), address, what)
    return tuple(str(system.unstrip_protocol(name)) for name in names)


def _listed(system: AbstractFileSystem, address: str) -> list[str]:
    path: Any = system._strip_protocol(address)
    if has_magic(path):
        return [str(name) for name in system.glob(path)]
    if system.isdir(path):
        inside = [str(name) for name in system.find(path)]
        return [name for name in inside if _counts(Path(name[len(path) :].lstrip("/")))]
    return [path] if system.exists(path) else []


def _require_some(found: Sequence[str], path: str, what: str) -> list[str]:
    names = [name for name in found if name.lower().endswith(_ENDING)]
    if not names:
        raise InputError(
            f"{what} must be an existing Parquet file or a folder of them; got {path!r}, where no "
            f"file ends in {_ENDING}."
        )
    return names


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
