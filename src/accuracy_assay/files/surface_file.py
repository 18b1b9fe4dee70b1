"""The ``.surface`` file: a zip archive of JSON, Parquet and one plain array.

Members: ``surface.json`` (format version, attributes, interval level, details), ``arms.parquet``
(arm index, counts and posterior of each listed arm); with joint draws also ``draws.npy`` (float32,
one row per draw, one column per arm), and if the sizes of arms are estimated too ``sizes.npy``, of
the same shape; if averages need no draws also ``factors.npy`` and ``terms.npy``, one row per arm;
if attributes are guessed also ``shifts.npy`` and ``other_sizes.npy`` (float32, one row per other
calibration, one column per arm).
Nothing in it is executable.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.files.archive import open_archive
from accuracy_assay.files.archive import refusing_damage as refusing_any_damage
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["FORMAT_VERSION", "read", "refusing_damage", "write"]

FORMAT_VERSION = 1
"""Goes up when today's readers would misread the file; see ``docs/surface-format.md``."""

_FORMAT = "accuracy-assay surface"
_WHAT, _WRITER = "surface file", "AccuracySurface.save"

Draws = npt.NDArray[np.float32]
Factors = tuple[npt.NDArray[np.float32], FloatArray]
"""Factors that arms share, (A, r), and the four terms of each, (A, 4)."""

Others = tuple[Draws, Draws]
"""How far other calibrations move the arms, and how many rows each then has, (B, A)."""

_N_TERMS = 4
_TABLES = ("draws.npy", "sizes.npy", "shifts.npy", "other_sizes.npy")
"""Tables with one column per arm."""


class Parts(NamedTuple):
    """What a file holds of a surface; None for what it lacks."""

    header: dict[str, Any]
    arms: pl.DataFrame
    draws: Draws | None
    factors: Factors | None
    sizes: Draws | None
    others: Others | None


def write(
    path: Path,
    header: Mapping[str, Any],
    arms: pl.DataFrame,
    draws: Draws | None,
    factors: Factors | None = None,
    sizes: Draws | None = None,
    others: Others | None = None,
) -> None:
    """Write the parts of a surface to ``path``, whole or not at all."""
    stamped = {"format": _FORMAT, "version": FORMAT_VERSION, **header}
    with (
        whole_file(path, _WHAT) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr("surface.json", json.dumps(stamped, indent=1, default=_plain))
        with archive.open("arms.parquet", "w") as member:
            arms.write_parquet(member)
        shifts, other_sizes = others or (None, None)
        tables = (draws, sizes, shifts, other_sizes)
        for name, table in zip(_TABLES, tables, strict=True):
            if table is not None:
                with archive.open(name, "w", force_zip64=True) as member:
                    np.save(member, table, allow_pickle=False)
        if factors is not None:
            # 16 bits: each factor is off by one part in two thousand, which sums do not show.
            with archive.open("factors.npy", "w", force_zip64=True) as member:
                np.save(member, factors[0].astype(np.float16), allow_pickle=False)
            with archive.open("terms.npy", "w", force_zip64=True) as member:
                np.save(member, factors[1].astype(np.float32), allow_pickle=False)


def read(path: Path, columns: Sequence[str]) -> Parts:
    """Read the parts of a surface; an error says what is wrong with the file.

    Sizes are checked before anything is unpacked, and the draws must have one column per arm.
    """
    with open_archive(path, _WHAT, _WRITER) as archive:
        header = archive.header("surface.json", _FORMAT, FORMAT_VERSION)
        arms = archive.table("arms.parquet", columns)
        draws, sizes, shifts, other_sizes = (
            archive.array(name, (None, arms.height)).astype(np.float32, copy=False)
            if name in archive
            else None
            for name in _TABLES
        )
        factors = None
        if "factors.npy" in archive and "terms.npy" in archive:
            shared = archive.array("factors.npy", (arms.height, None)).astype(np.float32)
            terms = archive.array("terms.npy", (arms.height, _N_TERMS)).astype(np.float64)
            factors = (shared, terms)
    others = None if shifts is None or other_sizes is None else (shifts, other_sizes)
    return Parts(header, arms, draws, factors, sizes, others)


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Turn whatever a damaged or foreign file makes the block raise into one clear error."""
    with refusing_any_damage(path, _WHAT, _WRITER):
        yield


def _plain(value: object) -> object:
    """Return a NumPy scalar or array as plain values for JSON; anything else as its text."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)
