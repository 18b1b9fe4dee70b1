"""Finished runs on disk, one JSON line each, so that a benchmark can be stopped and resumed."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from assay_bench.provenance import code_version
from assay_bench.run import Row, Run

__all__ = ["FinishedRuns"]


@dataclass(frozen=True, slots=True)
class FinishedRuns:
    """The file of finished runs.

    A line holds ``key`` (all settings of the run and the version of the code) and ``rows``. A line
    that a crash cut short is passed over, and its run is repeated; the next one starts a new line.
    """

    path: Path

    def read(self) -> dict[str, list[Row]]:
        """Return the rows of every finished run by its key."""
        found: dict[str, list[Row]] = {}
        if self.path.is_file():
            for line in self.path.read_bytes().split(b"\n"):
                try:
                    record = json.loads(line)
                    found[_text(record["key"])] = record["rows"]
                except (ValueError, TypeError, KeyError):
                    continue
        return found

    def find(self, runs: Sequence[Run]) -> dict[Run, list[Row]]:
        """Return those of ``runs`` that are finished, with their rows."""
        known = self.read()
        keys = {run: _text(_key(run)) for run in runs}
        return {run: known[key] for run, key in keys.items() if key in known}

    def append(self, run: Run, rows: list[Row]) -> None:
        """Add a finished run."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"key": _key(run), "rows": rows}).encode("ascii") + b"\n"
        with self.path.open("ab+") as file:
            if _is_cut(file):
                line = b"\n" + line
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def _is_cut(file: BinaryIO) -> bool:
    """Return whether the last line of a file has no end."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


def _key(run: Run) -> dict[str, Any]:
    return run.key() | {"version": code_version()}


def _text(key: dict[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)
