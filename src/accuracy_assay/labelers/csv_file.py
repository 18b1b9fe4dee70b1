"""CSV files: one row per task, with an empty column ``label`` that people fill in.

Columns that are read back: ``id`` and ``label``, and where they are there ``annotator``,
``seconds`` and ``confirmed_<attribute>``. A row with an empty label has no answer yet.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.labelers.files import CONFIRMED, read_text, seconds_of, write_tasks
from accuracy_assay.protocols import LabelTask, Returned

__all__ = ["CsvFile"]

_MOST_CHARACTERS = 2**31 - 1
"""Of one field: the largest number that Python's reader takes on every platform."""


@dataclass(frozen=True)
class CsvFile:
    """Tasks and answers as comma-separated values."""

    def write(self, tasks: Sequence[LabelTask], choices: Sequence[str], path: Path) -> None:
        """Write one row per task."""
        shown = list(dict.fromkeys(column for task in tasks for _, column, _ in task.show))
        services = list(dict.fromkeys(name for task in tasks for name, _, _ in task.predictions))
        header = ["id", *shown, *(f"prediction of {s}" for s in services), "arm", "why", "label"]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header)
        for task in tasks:
            values = {column: value for _, column, value in task.show}
            said = {name: prediction for name, prediction, _ in task.predictions}
            seen = [*(values.get(c, "") for c in shown), *(said.get(s, "") for s in services)]
            writer.writerow([task.id, *seen, task.arm, task.why, ""])
        write_tasks(path, text.getvalue())

    def read(self, path: Path) -> Sequence[Returned]:
        """Return the rows with a label."""
        csv.field_size_limit(_MOST_CHARACTERS)
        reader = csv.DictReader(io.StringIO(read_text(path)), strict=True)
        try:
            names = list(reader.fieldnames or ())
            for needed in ("id", "label"):
                if needed not in names:
                    raise UnknownNameError(f"column of {path.name}", needed, names)
            rows = list(reader)
        except csv.Error as error:
            raise InputError(
                f"answers must be CSV; got {str(path)!r}, line {reader.line_num}: {error}."
            ) from None
        return [_returned(row, path, i) for i, row in enumerate(rows) if (row["label"] or "")]


def _returned(row: Mapping[str | None, str | None], path: Path, number: int) -> Returned:
    where = f"row {number + 1} of {path.name}"
    if None in row or None in row.values():
        raise InputError(f"{where} must have as many fields as the header; got another number.")
    confirmed = {
        name.removeprefix(CONFIRMED): value
        for name, value in row.items()
        if name and name.startswith(CONFIRMED) and value
    }
    seconds = seconds_of(row.get("seconds"), where)
    return Returned(str(row["id"]), row["label"], row.get("annotator") or None, confirmed, seconds)
