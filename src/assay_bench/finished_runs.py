"""Finished runs on disk, one JSON line each, so that a benchmark can be stopped and resumed."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from assay_bench.provenance import MOMENT, code_version, commit, describe_origin
from assay_bench.run import Row, Run

__all__ = ["FinishedRuns"]


@dataclass(frozen=True, slots=True)
class FinishedRuns:
    """The file of finished runs.

    A line holds ``key`` (all settings of the run and the version of the code), ``rows``, the
    ``commit`` and when it was ``finished``. A line that a crash cut short is passed over, and its
    run is repeated; the next one starts a new line.
    """

    path: Path

    def read(self) -> dict[str, dict[str, Any]]:
        """Return what is kept of every finished run by its key."""
        found: dict[str, dict[str, Any]] = {}
        if self.path.is_file():
            for line in self.path.read_bytes().split(b"\n"):
                try:
                    record = json.loads(line)
                    found[_text(record["key"])] = {"rows": record["rows"], **record}
                except (ValueError, TypeError, KeyError):
                    continue
        return found

    def find(self, runs: Sequence[Run]) -> dict[Run, list[Row]]:
        """Return those of ``runs`` that are finished, with their rows."""
        return {run: record["rows"] for run, record in self._records(runs)}

    def origin(self, runs: Sequence[Run]) -> str:
        """Say which code made ``runs``, from which commits, and when."""
        records = [record for _, record in self._records(runs)]
        moments = (record["finished"] for record in records if "finished" in record)
        return describe_origin((record.get("commit") for record in records), moments)

    def _records(self, runs: Sequence[Run]) -> Iterable[tuple[Run, dict[str, Any]]]:
        known = self.read()
        keys = {run: _text(_key(run)) for run in runs}
        return ((run, known[key]) for run, key in keys.items() if key in known)

    def append(self, run: Run, rows: list[Row]) -> None:
        """Add a finished run."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        finished = f"{datetime.now(UTC):{MOMENT}}"
        record = {"key": _key(run), "rows": rows, "commit": commit(), "finished": finished}
        line = json.dumps(record).encode("ascii") + b"\n"
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
