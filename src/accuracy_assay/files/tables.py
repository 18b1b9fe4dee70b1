"""Rows from anywhere: pandas, Polars and PyArrow frames; CSV, JSONL and Parquet files.

Everything inside the package works on Polars frames; this is the one place where others come in.
Tables go out as CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.whole_file import whole_file

__all__ = [
    "TABLE_ENDINGS",
    "Rows",
    "read_table",
    "read_texts",
    "require_columns",
    "require_unique",
    "write_csv",
    "write_table",
]

Rows = Any
"""A pandas, Polars or PyArrow frame, or the path of a CSV, JSONL or Parquet file."""

_READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": lambda path: _read_csv(path, ","),
    ".tsv": lambda path: _read_csv(path, "\t"),
    ".jsonl": lambda path: pl.read_ndjson(path, infer_schema_length=None),
    ".ndjson": lambda path: pl.read_ndjson(path, infer_schema_length=None),
    ".parquet": lambda path: pl.read_parquet(path),
}
TABLE_ENDINGS = tuple(_READERS)
"""Endings of the files that are tables."""


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


def read_texts(path: Path, *, what: str = "rows") -> pl.DataFrame:
    """Read a table in which nothing is taken for a number: ``007`` stays what it is."""
    if path.suffix.lower() != ".csv":
        return read_table(path, what=what)
    if not path.is_file():
        raise InputError(f"{what} must be an existing file; got {str(path)!r}.")
    try:
        return pl.read_csv(path, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(
            f"{what} must be a readable csv file; got {str(path)!r}: {first}."
        ) from None


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


def write_csv(frame: pl.DataFrame, path: str | Path, *, what: str = "table") -> None:
    """Write a table as CSV, whole or not at all."""
    with whole_file(path, what) as file:
        frame.write_csv(file)


def write_table(frame: pl.DataFrame, path: str | Path, *, what: str = "table") -> None:
    """Write a table as CSV, JSON lines or Parquet, by the ending of the file."""
    ending = Path(path).suffix.lower()
    writers: dict[str, Callable[[Any], object]] = {
        ".csv": frame.write_csv,
        ".jsonl": frame.write_ndjson,
        ".parquet": frame.write_parquet,
    }
    if ending not in writers:
        raise UnknownNameError(f"file type of {what} ({Path(path).name})", ending, writers)
    with whole_file(path, what) as file:
        writers[ending](file)


def _read_path(path: Path, what: str) -> pl.DataFrame:
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise UnknownNameError(f"file type of {what} ({path.name})", suffix, _READERS)
    if not path.is_file():
        raise InputError(f"{what} must be an existing file; got {str(path)!r}.")
    if path.stat().st_size == 0:
        raise InputError(f"{what} must have at least one row; got the empty file {str(path)!r}.")
    try:
        return _READERS[suffix](path)
    except _RaggedError as ragged:
        raise InputError(f"{what} must have the same fields in every row; got {ragged}.") from None
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(
            f"{what} must be a readable {suffix[1:]} file; got {str(path)!r}: {first}."
        ) from None


class _RaggedError(Exception):
    """A CSV record with more or fewer fields than the header; says which."""


def _read_csv(path: Path, separator: str) -> pl.DataFrame:
    """Read a CSV file; types are guessed from the first rows, from all where that fails."""
    try:
        frame = pl.read_csv(path, separator=separator, infer_schema_length=10_000)
    except pl.exceptions.ComputeError:
        if line := _ragged_line(path, separator):
            raise _RaggedError(line) from None
        frame = pl.read_csv(path, separator=separator, infer_schema_length=None)
    # Polars fills up a record that is too short, and a blank line, with missing values.
    if frame.width and frame.get_column(frame.columns[-1]).null_count():
        if line := _ragged_line(path, separator):
            raise _RaggedError(line)
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return frame


def _ragged_line(path: Path, separator: str) -> str | None:
    """Find the first CSV record whose number of fields differs from the header's."""
    import csv

    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        reader = csv.reader(file, delimiter=separator)
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
    except ModuleNotFoundError as error:
        raise InputError(
            f"{what} must come with what Polars needs to read a {type(rows).__module__} frame; "
            f"got an installation without {error.name!r}. Install it with: pip install pyarrow"
        ) from None
    except Exception as error:  # each library has errors of its own for a malformed frame
        first = str(error).strip().splitlines()[0] if str(error).strip() else ""
        raise InputError(
            f"{what} must be a well-formed table; got {type(error).__name__}: {first} "
            "Give columns different names and one type of value each."
        ) from error
    return adopted
