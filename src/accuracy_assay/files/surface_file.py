"""The ``.surface`` file: a zip archive of JSON, Parquet and one plain array.

Members: ``surface.json`` (format version, attributes, interval level, details), ``arms.parquet``
(arm index, counts and posterior of each listed arm) and, where there are joint draws,
``draws.npy`` (float32, one row per draw, one column per arm). Nothing in it is executable.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import whole_file

__all__ = ["FORMAT_VERSION", "read", "refusing_damage", "write"]

FORMAT_VERSION = 1
"""Goes up when a reader of today would misread the file; ``docs/surface-format.md`` has it."""

_FORMAT = "accuracy-assay surface"
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    LookupError,
    TypeError,
    ValueError,
)

Draws = npt.NDArray[np.float32]


def write(path: Path, header: Mapping[str, Any], arms: pl.DataFrame, draws: Draws | None) -> None:
    """Write the parts of a surface to ``path``, whole or not at all."""
    stamped = {"format": _FORMAT, "version": FORMAT_VERSION, **header}
    with (
        whole_file(path, "surface file") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr("surface.json", json.dumps(stamped, indent=1, default=_plain))
        with archive.open("arms.parquet", "w") as member:
            arms.write_parquet(member)
        if draws is not None:
            with archive.open("draws.npy", "w", force_zip64=True) as member:
                np.save(member, draws, allow_pickle=False)


def read(path: Path) -> tuple[dict[str, Any], pl.DataFrame, Draws | None]:
    """Read the parts of a surface; an error says what is wrong with a file that is none."""
    if not path.is_file():
        raise InputError(f"surface file must exist; got {str(path)!r}.")
    with refusing_damage(path), zipfile.ZipFile(path) as archive:
        header: dict[str, Any] = json.loads(archive.read("surface.json"))
        _check_version(header, path)
        arms = pl.read_parquet(io.BytesIO(archive.read("arms.parquet")))
        draws = None
        if "draws.npy" in archive.namelist():
            draws = np.load(io.BytesIO(archive.read("draws.npy")), allow_pickle=False)
    return header, arms, draws


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Turn whatever a damaged or foreign file makes the block raise into one clear error."""
    try:
        yield
    except (*_DAMAGE, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"surface file must be one that AccuracySurface.save wrote; got {str(path)!r} "
            f"({type(error).__name__}: {error})."
        ) from None


def _check_version(header: dict[str, Any], path: Path) -> None:
    if header["format"] != _FORMAT:
        raise ValueError(f"format is {header['format']!r}")
    if header["version"] > FORMAT_VERSION:
        raise InputError(
            f"surface file must have format version {FORMAT_VERSION} or lower; got "
            f"{header['version']} in {str(path)!r}. Upgrade accuracy-assay to read it."
        )


def _plain(value: object) -> object:
    """Return a NumPy scalar or array as what JSON can hold; anything else as its text."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)
