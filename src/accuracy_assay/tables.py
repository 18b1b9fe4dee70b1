"""Rows from anywhere: pandas, Polars and PyArrow frames; CSV, JSONL and Parquet files.

Everything inside the package works on Polars frames; this is the one place where others come in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl

from accuracy_assay.errors import InputError, UnknownNameError

__all__ = ["Rows", "read_table", "require_columns", "require_unique"]

Rows = Any
"""A pandas, Polars or PyArrow frame, or the path of a CSV, JSONL or Parquet file."""

_READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": lambda path: pl.read_csv(path, infer_schema_length=10_000),
    ".tsv": lambda path: pl.read_csv(path, separator="\t", infer_schema_length=10_000),
    ".jsonl": lambda path: pl.read_ndjson(path),
    ".ndjson": lambda path: pl.read_ndjson(path),
    ".parquet": lambda path: pl.read_parquet(path),
}


def read_table(rows: Rows, *, what: str = "rows") -> pl.DataFrame:
    """Return ``rows`` as a Polars frame.

    Parameters
    ----------
    rows
        A pandas, Polars (eager or lazy) or PyArrow frame, or a path.
    what
        How error messages call it.

    Raises
    ------
    InputError
        If the file is missing, malformed or empty, or the object is no frame.
    """
    frame = _read_path(Path(rows), what) if isinstance(rows, str | Path) else _adopt(rows, what)
    if frame.height == 0:
        raise InputError(f"{what} must have at least one row; got an empty table.")
    return frame


def require_columns(frame: pl.DataFrame, names: Iterable[str], *, what: str = "rows") -> None:
    """Raise an error that names the first column that ``frame`` lacks."""
    for name in names:
        if name not in frame.columns:
            raise UnknownNameError(f"column of {what}", name, frame.columns)


def require_unique(ids: pl.Series, *, what: str = "rows") -> None:
    """Raise an error that names a repeated id."""
    if ids.n_unique() < ids.len():
        repeated = ids.filter(ids.is_duplicated())[0]
        raise InputError(
            f"column {ids.name!r} of {what} must have no value twice; got {repeated!r} "
            f"{int((ids == repeated).sum())} times. Drop the repeated rows or choose another id."
        )


def _read_path(path: Path, what: str) -> pl.DataFrame:
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise UnknownNameError(f"file type of {what} ({path.name})", suffix, _READERS)
    if not path.is_file():
        raise InputError(f"{what} must be an existing file; got {str(path)!r}.")
    try:
        return _READERS[suffix](path)
    except pl.exceptions.NoDataError:
        raise InputError(
            f"{what} must have at least one row; got the empty file {str(path)!r}."
        ) from None
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        if suffix in (".csv", ".tsv") and (line := _ragged_line(path, suffix)):
            raise InputError(
                f"{what} must have the same fields in every row; got {line}."
            ) from None
        first = str(error).strip().splitlines()[0]
        raise InputError(
            f"{what} must be a readable {suffix[1:]} file; got {str(path)!r}: {first}."
        ) from None


def _ragged_line(path: Path, suffix: str) -> str | None:
    """Find the first CSV record whose number of fields differs from the header's."""
    import csv

    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        reader = csv.reader(file, delimiter="\t" if suffix == ".tsv" else ",")
        header = next(reader, [])
        for record in reader:
            if record and len(record) != len(header):
                return (
                    f"{len(record)} fields instead of {len(header)} in line {reader.line_num} "
                    f"of {path.name}"
                )
    return None


def _adopt(rows: Rows, what: str) -> pl.DataFrame:
    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, pl.LazyFrame):
        return rows.collect()
    import narwhals as nw

    try:
        adopted: pl.DataFrame = nw.from_native(rows, eager_only=True).to_polars()
    except TypeError:
        raise InputError(
            f"{what} must be a pandas, Polars or PyArrow frame, or the path of a CSV, JSONL or "
            f"Parquet file; got {type(rows).__name__}."
        ) from None
    return adopted
