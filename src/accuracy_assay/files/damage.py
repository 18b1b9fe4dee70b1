"""The one place where a library's end over a damaged file becomes our error.

Polars panics over some damaged files. Its `PanicException` is not an `Exception`, so that nothing
else would catch it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.files.whole_file import FULL

__all__ = ["DAMAGE", "first_line", "is_full_disk", "refusing_damage"]

DAMAGE = (Exception, pl.exceptions.PanicException)
"""What reading a damaged file may raise; each library has its own errors."""
_SAID = ("No space left on device", "Disk quota exceeded", "max_temp_directory_size")
"""How libraries put it that have lost the number."""


@contextmanager
def refusing_damage(kind: str, where: str, what: str) -> Iterator[None]:
    """Turn whatever reading a damaged file raises into one error; ours pass as they are.

    Parameters
    ----------
    kind
        What the file must be, such as ``a readable csv file``.
    where
        The file, as it is shown.
    what
        What error messages call it.
    """
    try:
        yield
    except AssayError:
        raise
    except DAMAGE as error:
        if is_full_disk(error):
            raise InputError(
                f"{what} must have room on the disk while it is read; got a full disk: "
                f"{first_line(error)}. Make room; {where} itself is not to blame."
            ) from None
        raise InputError(f"{what} must be {kind}; got {where}: {first_line(error)}.") from None


def is_full_disk(error: BaseException) -> bool:
    """Return whether a library ended because a disk is full, such as that of temporary files."""
    return getattr(error, "errno", None) in FULL or any(said in str(error) for said in _SAID)


def first_line(error: BaseException) -> str:
    """Return the first line of what a library says, without its full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
