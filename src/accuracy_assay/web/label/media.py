"""Images and recordings of the pool: bytes in a column, a ``data:`` URL, or a file.

Files are read only from the declared folder, and links must not lead out of it. The first bytes
decide the media type; anything but an image or a recording is refused.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from urllib.parse import unquote_to_bytes

from accuracy_assay.errors import InputError
from accuracy_assay.spec.model import PoolSection

__all__ = ["is_media", "kind_of", "media_folder", "read_media"]

_MOST_BYTES = 100_000_000
"""Of one file: an hour of speech. Nobody labels more than that as one item."""

_STARTS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (4, b"ftypavif", "image/avif"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"\xff\xf2", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftyp", "audio/mp4"),
    (0, b"\x1a\x45\xdf\xa3", "audio/webm"),
)


def is_media(value: object) -> bool:
    """Return whether the page can show the value itself rather than its text.

    URLs on other hosts are not loaded: the page sends no request to other hosts.
    """
    if isinstance(value, bytes):
        return True
    return isinstance(value, str) and not value.lower().startswith(("http:", "https:", "//"))


def media_folder(pool: PoolSection) -> Path | None:
    """Return the folder of images and recordings: the declared one, or the pool's own."""
    if pool.media is not None:
        return Path(pool.media)
    return None if pool.path is None else Path(pool.path).absolute().parent


def read_media(value: object, folder: Path | None, what: str) -> tuple[bytes, str]:
    """Return the content of an image or a recording, and its media type.

    Parameters
    ----------
    value
        The pool's value: bytes, a ``data:`` URL, or the path of a file in the folder.
    folder
        The folder of such files; None if there is none.
    what
        What to call it in an error.

    Raises
    ------
    InputError
        If there is no such file in the folder, or it is not an image or a recording.
    """
    if isinstance(value, bytes):
        content = value
    elif isinstance(value, str) and value[:5].lower() == "data:":
        content = _of_data(value, what)
    elif isinstance(value, str) and value:
        content = _of_file(value, folder, what)
    else:
        raise InputError(f"{what} must be bytes, a data: URL or a path; got none of these.")
    kind = kind_of(content)
    if kind is None:
        raise InputError(f"{what} must be an image or a recording; got another kind of file.")
    return content, kind


def kind_of(content: bytes) -> str | None:
    """Return the media type by the first bytes; None for anything but images and recordings.

    Examples
    --------
    >>> kind_of(b"GIF89a..."), kind_of(b"<svg onload=...>")
    ('image/gif', None)
    """
    for start, mark, kind in _STARTS:
        if content[start : start + len(mark)] == mark:
            return kind
    return None


def _of_data(address: str, what: str) -> bytes:
    head, comma, body = address.partition(",")
    try:
        if not comma:
            raise ValueError
        if head.lower().endswith(";base64"):
            return base64.b64decode(body, validate=True)
        return unquote_to_bytes(body)
    except (ValueError, binascii.Error):
        raise InputError(f"{what} must be a complete data: URL; got a broken one.") from None


def _of_file(name: str, folder: Path | None, what: str) -> bytes:
    """Read a file; neither ``..`` nor an absolute path nor a link leads out of the folder."""
    refusal = InputError(
        f"{what} must be a file in the pool's media folder; got {name!r:.80}, which is not "
        "there. Set the folder with media = '...' under [pool]."
    )
    if folder is None or "\x00" in name:
        raise refusal
    try:
        root = folder.resolve(strict=True)
        path = (root / name).resolve(strict=True)
        if not path.is_relative_to(root) or not path.is_file():
            raise refusal
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{what} must have at most {_MOST_BYTES:,} bytes; got more.")
        return path.read_bytes()
    except (OSError, RuntimeError):  # missing, a loop of links, or not readable
        raise refusal from None
