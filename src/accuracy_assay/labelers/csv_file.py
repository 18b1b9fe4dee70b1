"""CSV files: one row per task, with an empty column ``label`` that people fill in.

Columns that are read back: ``id`` and ``label``, and if present ``annotator``, ``seconds`` and
``confirmed_<attribute>``. A row with an empty label has no answer yet. Fields may be separated by
commas, semicolons or tabs, as spreadsheets save them.
No spreadsheet executes a cell of it (`files.formulas`).
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.formulas import guarded, unguarded
from accuracy_assay.files.mistakes import Mistakes
from accuracy_assay.labelers.files import CONFIRMED, read_text, seconds_of, write_tasks
from accuracy_assay.protocols import LabelTask, Returned

__all__ = ["CsvFile"]

_MOST_CHARACTERS = 2**31 - 1
"""Of one field: the largest limit that Python's reader takes on every platform."""
_OURS = ("id", "label", "annotator", "seconds", "arm", "why")
_SEPARATORS = ",;\t"


@dataclass(frozen=True)
class CsvFile:
    """Tasks and answers as comma-separated values."""

    def write(self, tasks: Sequence[LabelTask], choices: Sequence[str], path: Path) -> None:
        """Write one row per task."""
        shown = list(dict.fromkeys(column for task in tasks for _, column, _ in task.show))
        services = list(dict.fromkeys(name for task in tasks for name, _, _ in task.predictions))
        said_by = [f"prediction of {service}" for service in services]
        is_named = any(task.annotator for task in tasks)
        whose = ["annotator"] if is_named else []
        rows: list[list[Any]] = [
            ["id", *map(_shown_name, shown), *said_by, "arm", "why", *whose, "label"]
        ]
        for task in tasks:
            values = {column: value for _, column, value in task.show}
            said = {name: prediction for name, prediction, _ in task.predictions}
            seen = [*(values.get(c, "") for c in shown), *(said.get(s, "") for s in services)]
            who = [task.annotator or ""] if is_named else []
            rows.append([task.id, *seen, task.arm, task.why, *who, ""])
        write_tasks(path, _csv_text(rows, "\t" if path.suffix.lower() == ".tsv" else ","))

    def read(self, path: Path) -> Sequence[Returned]:
        """Return the rows with a label."""
        csv.field_size_limit(_MOST_CHARACTERS)
        text = read_text(path)
        separator = _separator(text)
        reader = csv.reader(io.StringIO(text), strict=True, delimiter=separator)
        try:
            names = next(reader, [])
            _check_header(names, path)
            records = [record for record in reader if record]
        except csv.Error as error:
            raise InputError(
                f"answers must be CSV; got {str(path)!r}, line {reader.line_num}: {error}."
            ) from None
        mistakes = Mistakes(f"answers in {path.name}")
        answers: list[Returned] = []
        for number, record in enumerate(records, start=1):
            with mistakes.noting():
                answers += _returned(names, record, f"row {number} of {path.name}")
        mistakes.raise_any()
        return answers


def _csv_text(rows: Sequence[Sequence[Any]], separator: str) -> str:
    text = io.StringIO()
    # Python leaves a carriage return unquoted, which readers take for the end of the row.
    has_return = any("\r" in cell for row in rows for cell in row if isinstance(cell, str))
    writer = csv.writer(
        text,
        delimiter=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL,
    )
    writer.writerows(map(guarded, row) for row in rows)
    return text.getvalue()


def _shown_name(column: str) -> str:
    """Return the header of a shown column; one that would be read back gets another name."""
    is_ours = column in _OURS or column.startswith(CONFIRMED)
    return f"{column} (shown)" if is_ours else column


def _separator(text: str) -> str:
    """Return the separator of the fields: the one that finds our columns in the header."""
    for separator in _SEPARATORS:
        # A header that isn't CSV is reported when the rows are read.
        with suppress(csv.Error):
            names = next(csv.reader(io.StringIO(text), delimiter=separator), [])
            if "id" in names and "label" in names:
                return separator
    return _SEPARATORS[0]


def _check_header(names: Sequence[str], path: Path) -> None:
    for needed in ("id", "label"):
        if needed not in names:
            raise UnknownNameError(f"column of {path.name}", needed, names)
    for name, count in Counter(names).items():
        if count > 1 and (name in _OURS or name.startswith(CONFIRMED)):
            raise InputError(
                f"column {name!r} of {path.name} must stand there once; got it {count} times. "
                "Delete or rename the others."
            )


def _returned(names: Sequence[str], record: Sequence[str], where: str) -> Iterator[Returned]:
    """Yield the answer in a record, if there is one."""
    if len(record) != len(names):
        raise InputError(
            f"{where} must have as many fields as the header, {len(names)}; got {len(record)}."
        )
    row: Mapping[str, str] = dict(zip(names, map(unguarded, record), strict=True))
    if not row["label"].strip():
        return
    confirmed = {
        name.removeprefix(CONFIRMED): value
        for name, value in row.items()
        if name.startswith(CONFIRMED) and value
    }
    seconds = seconds_of(row.get("seconds"), where)
    yield Returned(row["id"], row["label"], row.get("annotator") or None, confirmed, seconds)
