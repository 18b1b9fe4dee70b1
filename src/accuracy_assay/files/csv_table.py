"""CSV as people and programs write it: commas, semicolons or tabs, with guessed types.

Guesses are careful: numbers with leading zeros are codes and stay texts, and ``0,5`` is a number
in a file with semicolons.
"""

from __future__ import annotations

import csv
import io
import mmap
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.utf8 import refuse_other_bytes

__all__ = ["read_csv"]

Source = Path | bytes

_SEPARATORS = (",", ";", "\t")
_HEADER_BYTES = 2**16
"""The header must end within this many bytes: names of thousands of columns."""
_SURE_ROWS = 10_000
"""Rows that types are guessed from first; if they mislead, all rows are used."""
_SHOWN_LINES = 10
"""Most lines with a wrong number of fields that an error names: enough to see what they share."""
_ZERO_FIRST = r"^\s*-?0[0-9]"
_DECIMAL_COMMA = r"^-?[0-9]+(,[0-9]+)?$"


def read_csv(source: Source, name: str, separator: str | None = None) -> pl.DataFrame:
    """Return the table in a file or in bytes; errors call it ``name``.

    By default the separator is the one that occurs most in the header.

    Raises
    ------
    InputError
        If rows have different numbers of fields, or two columns have the same name.
    """
    header = _header(source)
    divided_by = separator or max(_SEPARATORS, key=lambda s: _fields(header, s))
    _refuse_same_names(header, divided_by, name)
    frame = _guess_types(source, name, divided_by)
    frame = _keep_codes(frame, source, divided_by)
    return _read_decimal_commas(frame) if divided_by == ";" else frame


def _guess_types(source: Source, name: str, separator: str) -> pl.DataFrame:
    """Guess types from the first rows, or from all if that fails."""
    try:
        frame = pl.read_csv(
            source, glob=False, separator=separator, infer_schema_length=_SURE_ROWS
        )
    except pl.exceptions.ComputeError:
        refuse_other_bytes(source, name)
        _refuse_ragged(source, name, separator)
        frame = pl.read_csv(source, glob=False, separator=separator, infer_schema_length=None)
    # Polars fills short records and blank lines with missing values.
    if frame.width and frame.get_column(frame.columns[-1]).null_count():
        _refuse_ragged(source, name, separator)
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return frame


def _keep_codes(frame: pl.DataFrame, source: Source, separator: str) -> pl.DataFrame:
    """Return the table with columns such as 007 as the texts in the file."""
    numbers = [c for c in frame.columns if frame.get_column(c).dtype.is_integer()]
    pattern = rf'(?:^|[\n\r"{separator}])\s*-?0[0-9]'.encode()
    with _content(source) as content:
        if not numbers or re.search(pattern, content) is None:
            return frame
    texts = pl.read_csv(
        source, glob=False, separator=separator, columns=numbers, infer_schema=False
    )
    if texts.height != frame.height:  # blank lines are not rows
        texts = texts.filter(~pl.all_horizontal(pl.all().is_null()))
    if texts.height != frame.height:
        return frame
    codes = [c for c in numbers if texts.get_column(c).str.contains(_ZERO_FIRST).any()]
    return frame.with_columns(texts.get_column(c) for c in codes)


def _read_decimal_commas(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table with columns of texts such as ``0,5`` as numbers."""
    found = []
    for column in frame.get_columns():
        if column.dtype != pl.String or column.len() == column.null_count():
            continue
        seen = column.drop_nulls()
        if seen.str.contains(_DECIMAL_COMMA).all() and seen.str.contains(",", literal=True).any():
            found.append(column.str.replace(",", ".", literal=True).cast(pl.Float64))
    return frame.with_columns(found)


def _header(source: Source) -> str:
    """Return the first line that is not blank."""
    with _content(source) as content:
        start = bytes(content[:_HEADER_BYTES]).decode("utf-8-sig", "replace")
    return next((line for line in start.splitlines() if line.strip()), "")


def _fields(line: str, separator: str) -> int:
    return len(next(csv.reader([line], delimiter=separator), []))


def _refuse_same_names(header: str, separator: str, name: str) -> None:
    """Refuse two columns with one name, since Polars would rename the second."""
    names = Counter(next(csv.reader([header], delimiter=separator), []))
    for column, count in names.items():
        if column and count > 1:
            raise InputError(
                f"columns of {name} must have different names; got {column!r} {count} times. "
                "Rename or delete all but one."
            )


def _refuse_ragged(source: Source, name: str, separator: str) -> None:
    """Raise an error that names the records with more or fewer fields than the header."""
    with _content(source) as content:
        text = io.TextIOWrapper(io.BytesIO(content), "utf-8", "replace", newline="")
        reader = csv.reader(text, delimiter=separator)
        header = next(reader, [])
        try:
            found = [
                f"{len(record)} fields instead of {len(header)} in line {reader.line_num}"
                for record in reader
                if record and len(record) != len(header)
            ]
        except csv.Error as error:
            found = [f"{error} in line {reader.line_num}"]
    if found:
        more = f" and {len(found) - _SHOWN_LINES} more" if len(found) > _SHOWN_LINES else ""
        shown = ", ".join(found[:_SHOWN_LINES])
        raise InputError(f"{name} must have the same fields in every row; got {shown}{more}.")


@contextmanager
def _content(source: Source) -> Iterator[bytes | mmap.mmap]:
    """Give the bytes of a source, reading only those that are used."""
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        yield view
