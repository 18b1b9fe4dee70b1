"""Files that are written whole or not at all.

A file is written under a temporary name in the same folder, synced to disk, and then renamed. A
reader sees the old file or the new one, never a part of either. If two write one path at the same
time, the one that ends later wins.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from accuracy_assay.errors import InputError

__all__ = ["FULL", "require_writable", "whole_file", "whole_path", "write_whole"]

_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a disk that is full, or whose user may have no more of it."""


@contextmanager
def whole_file(path: str | Path, what: str = "file") -> Iterator[BinaryIO]:
    """Open a binary file that appears at ``path`` when the block ends, and not if it fails.

    Parameters
    ----------
    path
        Where the file goes. A link stays a link: its target is replaced. A replaced file keeps
        its permissions; a new one gets the usual ones.
    what
        What error messages call it.

    Raises
    ------
    InputError
        If the folder does not exist, or the path is not a writable file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "note", "note") as file:
    ...         _ = file.write(b"all of it")
    ...     (Path(folder) / "note").read_text()
    'all of it'
    """
    with whole_path(path, what) as part, _naming(path, what), part.open("r+b") as file:
        yield file


@contextmanager
def whole_path(path: str | Path, what: str = "file") -> Iterator[Path]:
    """Give the path of an empty file that appears at ``path`` when the block ends, as a whole.

    For libraries that write to a path; otherwise as `whole_file`.
    """
    target = Path(os.path.realpath(path))
    mode = _mode_of(target, path, what)
    part = target.with_name(f".assay-{uuid4().hex}.part")
    try:
        with _naming(path, what):
            part.open("xb").close()
        if mode is not None:
            with suppress(OSError):  # a file system without permissions
                part.chmod(mode)
        yield part
        with _naming(path, what):
            with part.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(part, target)
    finally:
        with suppress(OSError):  # a folder that may not be written any more
            part.unlink(missing_ok=True)
    _sync_folder(target.parent)


def write_whole(path: str | Path, content: str | bytes, what: str = "file") -> None:
    """Write a text (as UTF-8, line ends unchanged) or bytes to ``path``, whole or not at all."""
    with whole_file(path, what) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def require_writable(path: str | Path, what: str = "file") -> None:
    """Raise the error that `whole_file` would, before the work whose result goes to ``path``."""
    target = Path(os.path.realpath(path))
    _mode_of(target, path, what)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(_closed_folder(path, what))


def _mode_of(target: Path, path: str | Path, what: str) -> int | None:
    """Return the permissions of the file to replace, None if there is none; refuse others."""
    if not target.parent.is_dir():
        raise InputError(f"{what} must go to an existing folder; got {str(Path(path).parent)!r}.")
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{what} must be a file; got {str(path)!r}, which is {_kind(mode)}. Give a file name."
        )
    if not os.access(target, os.W_OK):
        raise InputError(f"{what} must be a writable file; got {str(path)!r}.")
    return stat.S_IMODE(mode)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"


@contextmanager
def _naming(path: str | Path, what: str) -> Iterator[None]:
    """Say what is wrong with the place that was asked for, not with the temporary file."""
    try:
        yield
    except OSError as error:
        if error.errno in _CLOSED:
            raise InputError(_closed_folder(path, what)) from None
        if error.errno in FULL:
            raise InputError(
                f"{what} must have room on its disk; got {str(path)!r}, whose disk is full. Make "
                "room and repeat the call; nothing was written."
            ) from None
        if error.filename is not None and str(error.filename).endswith(".part"):
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise


def _closed_folder(path: str | Path, what: str) -> str:
    return f"{what} must go to a writable folder; got {str(Path(path).parent)!r}."


def _sync_folder(folder: Path) -> None:
    """Sync the new name to disk, on systems that can sync a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
