"""Rows from anywhere: pandas, Polars and PyArrow frames; CSV, JSONL and Parquet files; ``-``.

Parquet may also be a folder of files, a pattern or an address (`files.parquet_paths`). The package
works on Polars frames; everything else is converted here. Tables are written as CSV.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Collection, Iterable
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path
from typing import Any

import polars as pl

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.csv_table import Source, read_csv
from accuracy_assay.files.damage import DAMAGE, first_line, refusing_damage
from accuracy_assay.files.formulas import guarded_frame, unguarded_frame
from accuracy_assay.files.json_lines import read_json_lines
from accuracy_assay.files.parquet_paths import is_address, is_folder
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.files.plain_types import with_plain_types
from accuracy_assay.files.whole_file import whole_file

__all__ = [
    "TABLE_ENDINGS",
    "Rows",
    "is_table",
    "read_columns",
    "read_table",
    "read_texts",
    "require_columns",
    "require_unique",
    "write_csv",
    "write_table",
]

Rows = Any
"""A pandas, Polars or PyArrow frame, the path of a CSV, JSONL or Parquet file, or a folder,
pattern or address of several Parquet files."""

_READERS: dict[str, Callable[[Source, str], pl.DataFrame]] = {
    ".csv": lambda source, name: read_csv(source, name),
    ".tsv": lambda source, name: read_csv(source, name, "\t"),
    ".jsonl": lambda source, name: read_json_lines(source, name),
    ".ndjson": lambda source, name: read_json_lines(source, name),
    ".parquet": lambda source, _: pl.read_parquet(source, glob=False),
}
_PLAIN_TYPES = (pl.String, pl.Boolean, pl.Date)
_PACKED = ".gz"
_STDIN = "-"
_LEAST_BOUND = 2**30
"""Unpacked bytes that any packed table may have: ten million short rows."""
_MOST_RATIO = 100
"""Most unpacked bytes per byte of a larger packed table: a CSV of few values packs fiftyfold."""
TABLE_ENDINGS = (*_READERS, *(f"{ending}{_PACKED}" for ending in _READERS))
"""Endings of files that are tables."""


def read_table(rows: Rows, *, what: str = "rows") -> pl.DataFrame:
    """Return ``rows`` as a Polars frame.

    Parameters
    ----------
    rows
        A pandas, Polars (eager or lazy) or PyArrow frame, or a path; ``-`` is the standard input.
    what
        What error messages call it.

    Raises
    ------
    InputError
        If the file is missing, malformed or empty, or the object is not a frame.
    """
    if isinstance(rows, str | Path):
        frame = _read_stdin(what) if str(rows) == _STDIN else _read_address(str(rows), what)
    else:
        frame = _adopt(rows, what)
    frame = with_plain_types(frame)
    if frame.height == 0:
        raise InputError(f"{what} must have at least one row; got an empty table.")
    return frame


def read_columns(
    rows: Rows, names: Collection[str], patterns: Collection[str], *, what: str = "rows"
) -> pl.DataFrame:
    """Return ``rows`` as a Polars frame; of Parquet, only the columns asked for.

    Parameters
    ----------
    rows, what
        As in `read_table`.
    names
        Required columns. If one is missing no row is read; the frame then has all columns, so
        that an error can name them.
    patterns
        Optional columns, by name or as ``p_accent__*``.
    """
    found = ParquetRows.find(rows, what=what)
    if found is None:
        return read_table(rows, what=what)
    if not set(names) <= set(found.schema):
        return found.head
    return found.read(
        [
            name
            for name in found.schema
            if name in names or any(name == p or fnmatchcase(name, p) for p in patterns)
        ]
    )


def read_texts(path: Path, *, what: str = "rows") -> pl.DataFrame:
    """Read a table of texts that `write_table` wrote; no number is guessed: 007 stays 007."""
    if path.suffix.lower() != ".csv":
        return read_table(path, what=what)
    if not path.is_file():
        raise InputError(f"{what} must be an existing file; got {str(path)!r}.")
    with refusing_damage("a readable csv file", repr(str(path)), what):
        return unguarded_frame(pl.read_csv(path, glob=False, infer_schema=False))


def require_columns(frame: pl.DataFrame, names: Iterable[str], *, what: str = "rows") -> None:
    """Raise an error that names the first column that ``frame`` lacks."""
    for name in names:
        if name not in frame.columns:
            raise UnknownNameError(f"column of {what}", name, frame.columns)


def require_unique(ids: pl.Series, *, what: str = "rows") -> None:
    """Raise an error that names a repeated id."""
    if ids.n_unique() < ids.len():
        repeated = ids.filter(ids.is_duplicated())[:1]
        raise InputError(
            f"column {ids.name!r} of {what} must have unique values; got {repeated[0]!r} "
            f"{int(ids.eq_missing(repeated).sum())} times. Drop the repeated rows or choose "
            "another id."
        )


def write_csv(frame: pl.DataFrame, path: str | Path, *, what: str = "table") -> None:
    """Write a table as CSV, whole or not at all; no spreadsheet executes a text of it."""
    with whole_file(path, what) as file:
        guarded_frame(frame).write_csv(file)


def write_table(frame: pl.DataFrame, path: str | Path, *, what: str = "table") -> None:
    """Write a table as CSV, JSON lines or Parquet, by the ending of the file."""
    ending = Path(path).suffix.lower()
    writers: dict[str, Callable[[Any], object]] = {
        ".csv": lambda file: guarded_frame(frame).write_csv(file),
        ".jsonl": frame.write_ndjson,
        ".parquet": frame.write_parquet,
    }
    if ending not in writers:
        raise UnknownNameError(f"file type of {what} ({Path(path).name})", ending, writers)
    with whole_file(path, what) as file:
        writers[ending](file)


def is_table(address: str) -> bool:
    """Return whether a text names a table rather than a store."""
    if address == _STDIN or is_address(address) or is_folder(address):
        return True
    return "://" not in address and _ending(Path(address)) in TABLE_ENDINGS


def _ending(path: Path) -> str:
    """Return the ending of a file, ``.csv.gz`` if it is packed."""
    endings = [ending.lower() for ending in path.suffixes]
    return "".join(endings[-2:] if endings[-1:] == [_PACKED] else endings[-1:])


def _read_address(address: str, what: str) -> pl.DataFrame:
    """Read a file, or the Parquet of a folder, a pattern or an address."""
    if not (is_address(address) or is_folder(address)):
        return _read_path(Path(address), what)
    found = ParquetRows.find(address, what=what)
    assert found is not None
    return found.read()


def _read_path(path: Path, what: str) -> pl.DataFrame:
    ending = _ending(path)
    if ending not in TABLE_ENDINGS:
        raise UnknownNameError(f"file type of {what} ({path.name})", ending, TABLE_ENDINGS)
    if not path.is_file():
        raise InputError(f"{what} must be an existing file; got {str(path)!r}.")
    if path.stat().st_size == 0:
        raise InputError(f"{what} must have at least one row; got the empty file {str(path)!r}.")
    with refusing_damage(f"a readable {ending[1:]} file", repr(str(path)), what):
        if ending == ".parquet":
            return _read_parquet(path, what)
        source = _unpacked(path, what) if ending.endswith(_PACKED) else path
        return _READERS[ending.removesuffix(_PACKED)](source, f"{what} ({path.name})")


def _read_stdin(what: str) -> pl.DataFrame:
    """Read a table from the standard input: Parquet, JSON lines or CSV, by its first bytes."""
    content = sys.stdin.buffer.read()
    if not content.strip():
        raise InputError(f"{what} must have at least one row; got an empty standard input.")
    starts = {b"PAR1": ".parquet", b"{": ".jsonl"}
    ending = next((e for start, e in starts.items() if content.startswith(start)), ".csv")
    with refusing_damage("a readable table", "the standard input", what):
        return _READERS[ending](content, f"{what} (standard input)")


def _read_parquet(path: Path, what: str) -> pl.DataFrame:
    """Read a Parquet file of plain columns with DuckDB, and any other with Polars.

    Over some damaged files Polars asks for so much memory that the process is aborted; DuckDB
    raises an error.
    """
    found = ParquetRows((escape(str(path)),), what)
    is_plain = all(t.is_numeric() or t in _PLAIN_TYPES for t in found.schema.values())
    return found.read() if found.is_askable and is_plain else pl.read_parquet(path, glob=False)


def _unpacked(path: Path, what: str) -> bytes:
    bound = max(_LEAST_BOUND, _MOST_RATIO * path.stat().st_size)
    with gzip.open(path) as file:
        content = file.read(bound + 1)
    if len(content) > bound:
        raise InputError(
            f"{what} must unpack to at most {bound} bytes; got more in {str(path)!r}. If you "
            "trust it, unpack it first."
        )
    return content


def _adopt(rows: Rows, what: str) -> pl.DataFrame:
    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, pl.LazyFrame):
        with refusing_damage("a lazy frame that can be read", "one", what):
            return rows.collect()
    import narwhals as nw

    try:
        named = _named_intervals(rows)
        plain = rows.assign(**named) if named else rows
        adopted: pl.DataFrame = nw.from_native(plain, eager_only=True).to_polars()
    except TypeError:
        raise InputError(
            f"{what} must be a pandas, Polars or PyArrow frame, or the path of a CSV, JSONL or "
            f"Parquet file; got {type(rows).__name__}."
        ) from None
    except ModuleNotFoundError as error:
        raise InputError(
            f"{what} must be a frame that Polars can read; a {type(rows).__module__} frame needs "
            f"{error.name!r}, which is not installed. Install it with: pip install pyarrow"
        ) from None
    except DAMAGE as error:
        raise InputError(
            f"{what} must be a well-formed table; got {type(error).__name__}: "
            f"{first_line(error)}. Give columns different names, and each one type of value."
        ) from error
    orders = {name: pl.Enum(list(texts.cat.categories)) for name, texts in named.items()}
    return adopted.with_columns(pl.col(name).cast(order) for name, order in orders.items())


def _named_intervals(rows: Rows) -> dict[str, Any]:
    """Return the intervals (``pd.cut``) and periods of a pandas frame as columns of ordered texts.

    Polars would make them pairs of numbers and numbers.
    """
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(rows).mro()}
    if "pandas.DataFrame" not in kinds or not rows.columns.is_unique:
        return {}
    found = {}
    for name, dtype in rows.dtypes.items():
        values = getattr(getattr(dtype, "categories", None), "dtype", dtype)
        if str(values).startswith(("interval", "period")):
            column = rows[name] if hasattr(rows[name], "cat") else rows[name].astype("category")
            found[name] = column.cat.rename_categories(str)
    return found
