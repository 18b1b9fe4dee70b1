"""Members of a ZIP file that nobody vouches for, read without trusting the sizes it states.

Members may be stored, deflated or compressed with Zstandard (method 93), which the standard
library of Python knows from 3.14 on.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.json_files import parsed
from accuracy_assay.readers.unpacking import LARGEST_RATIO, most_unpacked

__all__ = ["Archive", "TooLargeError", "opened_archive"]

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LARGEST_MEMBER = 64_000_000
"""Most bytes of an unpacked member; a sample with a long transcript has a few millions."""


class TooLargeError(ValueError):
    """A member that is larger than a member may be."""


@dataclass(slots=True)
class Archive:
    """A ZIP file that is open, and how much it may still unpack."""

    path: Path
    names: dict[str, ZipInfo]
    _zip: ZipFile
    _file: IO[bytes]
    _budget: int

    def json(self, name: str, largest: int = _LARGEST_MEMBER) -> Any:
        """Return the value in a member.

        Raises
        ------
        TooLargeError
            If it is larger than that once it is unpacked.
        InputError
            If the archive unpacks to too much.
        """
        return parsed(self._content(self.names[name], min(largest, self._budget)))

    def _content(self, member: ZipInfo, most: int) -> bytes:
        if member.compress_type == _ZSTANDARD:
            content = self._zstandard(member, most + 1)
        else:
            with self._zip.open(member) as stream:
                content = stream.read(most + 1)
        self._budget -= len(content)
        if self._budget < 0:
            raise InputError(
                f"a log must not be made to fill the memory; got {self.path}, which unpacks to "
                f"more than {LARGEST_RATIO} times its size."
            )
        if len(content) > most:
            raise TooLargeError(f"{member.filename} is larger than {most:,} bytes")
        return content

    def _zstandard(self, member: ZipInfo, most: int) -> bytes:
        """Return the first bytes of a member that the standard library may not read."""
        import zstandard

        self._file.seek(member.header_offset)
        header = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        self._file.seek(header[-2] + header[-1], 1)  # the name and the extra field
        packed = self._file.read(member.compress_size)
        stream = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        content: bytes = stream.read(most)
        if len(content) < most and zlib.crc32(content) != member.CRC:
            raise ValueError(f"{member.filename} is damaged")
        return content


@contextmanager
def opened_archive(path: Path, what: str) -> Iterator[Archive]:
    """Open a ZIP file; whatever goes wrong becomes an error that names it."""
    with (
        refusing_damage(what, str(path), "a log"),
        path.open("rb") as file,
        ZipFile(file) as archive,
    ):
        names = {member.filename: member for member in archive.infolist()}
        yield Archive(path, names, archive, file, most_unpacked(path))
