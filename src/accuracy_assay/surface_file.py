"""The ``.surface`` file: a zip archive of JSON, Parquet and one plain array.

Members: ``surface.json`` (format version, attributes, interval level, details), ``arms.parquet``
(arm index, counts and posterior of each listed arm) and, where there are joint draws,
``draws.npy`` (float32, one row a draw, one column an arm). Nothing in it is executable.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.errors import InputError

__all__ = ["FORMAT_VERSION", "read", "write"]

FORMAT_VERSION = 1

Draws = npt.NDArray[np.float32]


def write(path: Path, header: Mapping[str, Any], arms: pl.DataFrame, draws: Draws | None) -> None:
    """Write the parts of a surface to ``path``, whole or not at all."""
    part = path.with_name(path.name + ".part")
    stamped = {"format": "accuracy-assay surface", "version": FORMAT_VERSION, **header}
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("surface.json", json.dumps(stamped, indent=1))
        with archive.open("arms.parquet", "w") as member:
            arms.write_parquet(member)
        if draws is not None:
            with archive.open("draws.npy", "w") as member:
                np.save(member, draws, allow_pickle=False)
    os.replace(part, path)


def read(path: Path) -> tuple[dict[str, Any], pl.DataFrame, Draws | None]:
    """Read the parts of a surface; an error says what is wrong with a file that is none."""
    if not path.is_file():
        raise InputError(f"surface file must exist; got {str(path)!r}.")
    try:
        with zipfile.ZipFile(path) as archive:
            header: dict[str, Any] = json.loads(archive.read("surface.json"))
            _check_version(header, path)
            arms = pl.read_parquet(io.BytesIO(archive.read("arms.parquet")))
            draws = None
            if "draws.npy" in archive.namelist():
                draws = np.load(io.BytesIO(archive.read("draws.npy")), allow_pickle=False)
    except (zipfile.BadZipFile, KeyError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"surface file must be one that AccuracySurface.save wrote; got {str(path)!r} "
            f"({type(error).__name__})."
        ) from None
    return header, arms, draws


def _check_version(header: dict[str, Any], path: Path) -> None:
    if header.get("version", 0) > FORMAT_VERSION:
        raise InputError(
            f"surface file must have format version {FORMAT_VERSION} or lower; got "
            f"{header['version']} in {str(path)!r}. Upgrade accuracy-assay to read it."
        )
