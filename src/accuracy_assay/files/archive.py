"""Zip archives of JSON, Parquet and plain arrays, read with bounds on their size.

A few kilobytes of zip can unpack to terabytes, an array can announce any shape and a table any
number of rows. So sizes are checked before anything is unpacked, and anything damaged, foreign or
too large raises one error that names the file.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import DAMAGE

__all__ = ["Archive", "open_archive", "refusing_damage"]

_LEAST_BOUND = 2**30
"""Unpacked bytes that any file may have: joint draws of half a million arms, and less than the
memory of any machine in use."""
_MOST_RATIO = 20
"""Most unpacked bytes per byte of a larger file. Draws are noise, which deflate hardly packs."""
_MOST_JSON = 2**25
"""Most bytes of a header, 32 MiB: attributes of a million values. Python takes ten times that."""
_PIECE = 2**20
"""Bytes unpacked at a time, so that a member with a false size ends early."""
_NUMBER_BYTES = 8


class _NewerError(InputError):
    """A sound file that a later version wrote."""


@dataclass(frozen=True)
class Archive:
    """An open archive; its members may unpack to ``bound`` bytes, together and each.

    Whatever its methods raise means that the file is damaged.
    """

    zip: zipfile.ZipFile
    bound: int

    def __contains__(self, name: str) -> bool:
        return name in self.zip.namelist()

    def header(self, name: str, format: str, version: int) -> dict[str, Any]:
        """Return a JSON object of the given format; refuse a later version than ours."""
        found = json.loads(self._bytes(name, _MOST_JSON))
        if found["format"] != format:
            raise ValueError(f"format is {found['format']!r}")
        if isinstance(found["version"], bool) or not isinstance(found["version"], int):
            raise ValueError(f"version is {found['version']!r}")
        if found["version"] > version:
            raise _NewerError(
                f"format version {version} or lower; got {found['version']} in "
                f"{self.zip.filename!r}. Upgrade accuracy-assay to read it."
            )
        return dict(found)

    def table(self, name: str, columns: Sequence[str]) -> pl.DataFrame:
        """Return the named columns of a Parquet member, after checking its row count."""
        content = io.BytesIO(self._bytes(name, self.bound))
        n_rows = int(pl.scan_parquet(content).select(pl.len()).collect().item())
        if n_rows * len(columns) * _NUMBER_BYTES > self.bound:
            raise ValueError(f"{name} announces {n_rows} rows")
        content.seek(0)
        return pl.read_parquet(content, columns=list(columns))

    def array(self, name: str, shape: tuple[int | None, ...] | None = None) -> npt.NDArray[Any]:
        """Return an array of finite floating-point numbers.

        Parameters
        ----------
        name
            The member.
        shape
            The shape that it must have, None for an axis of any length; None for any shape.
        """
        size = self.zip.getinfo(name).file_size
        with self.zip.open(name) as member:
            found, is_fortran, dtype = _array_header(member)
            if dtype.kind != "f":
                raise ValueError(f"{name} must hold floating-point numbers; it has {dtype}")
            if shape is not None and not _fits(found, shape):
                raise ValueError(f"{name} must have shape {_shown(shape)}; it has {found}")
            n_bytes = math.prod(found) * dtype.itemsize
            if n_bytes > self.bound or member.tell() + n_bytes != size:
                raise ValueError(f"{name} announces shape {found} and has {size} bytes")
            content = _read_exactly(member, n_bytes, name)
        array = np.frombuffer(content, dtype).reshape(found, order="F" if is_fortran else "C")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must hold finite numbers; it has others")
        return array

    def bytes_of(self, name: str) -> bytes:
        """Return a member as it is."""
        return bytes(self._bytes(name, self.bound))

    def _bytes(self, name: str, most: int) -> bytearray:
        size = self.zip.getinfo(name).file_size
        if size > most:
            raise ValueError(f"{name} must have at most {most} bytes; it announces {size}")
        with self.zip.open(name) as member:
            return _read_exactly(member, size, name)


@contextmanager
def open_archive(path: Path, what: str, writer: str) -> Iterator[Archive]:
    """Open the archive at ``path``; whatever is wrong with it ends in an `InputError`.

    The message calls it ``what`` ("surface file") and says what makes such files: ``writer``.
    """
    if not path.is_file():
        raise InputError(f"{what} must exist; got {str(path)!r}.")
    with refusing_damage(path, what, writer), zipfile.ZipFile(path) as opened:
        bound = max(_LEAST_BOUND, _MOST_RATIO * path.stat().st_size)
        members = opened.infolist()
        unpacked = sum(member.file_size for member in members)
        if unpacked > bound:
            raise ValueError(f"it must unpack to at most {bound} bytes; it announces {unpacked}")
        packings = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if foreign := [m.filename for m in members if m.compress_type not in packings]:
            raise ValueError(f"{foreign[0]} must be stored or deflated")
        yield Archive(opened, bound)


@contextmanager
def refusing_damage(path: Path, what: str, writer: str) -> Iterator[None]:
    """Turn whatever a damaged or foreign file makes the block raise into one clear error."""
    try:
        yield
    except _NewerError as error:
        raise InputError(f"{what} must have {error}") from None
    except PermissionError:
        raise InputError(f"{what} must be a readable file; got {str(path)!r}.") from None
    except DAMAGE as error:
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        said = str(error).rstrip(".") or "no reason given"
        raise InputError(
            f"{what} must be one that {writer} wrote; got {str(path)!r} ({kind}{said})."
        ) from None


def _array_header(member: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, order and type of the ``.npy`` whose header the stream is at."""
    version = np.lib.format.read_magic(member)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(member)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(member)
    raise ValueError(f"arrays must have format 1.0 or 2.0; got {version}")


def _fits(found: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    return len(found) == len(shape) and all(
        wanted in (None, length) for length, wanted in zip(found, shape, strict=True)
    )


def _shown(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join('any' if s is None else str(s) for s in shape)})"


def _read_exactly(member: Any, n_bytes: int, name: str) -> bytearray:
    """Return ``n_bytes``, reading to the end of the member, where its checksum is compared."""
    content = bytearray()
    while piece := member.read(_PIECE):
        content += piece
        if len(content) > n_bytes:
            break
    if len(content) != n_bytes:
        raise ValueError(f"{name} must have {n_bytes} bytes; it has another number")
    return content
