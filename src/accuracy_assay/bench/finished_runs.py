"""Finished runs on disk, one JSON line each, so that a benchmark can be stopped and resumed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from accuracy_assay.bench.provenance import code_version
from accuracy_assay.bench.run import Row, Run

__all__ = ["FinishedRuns"]


@dataclass(frozen=True, slots=True)
class FinishedRuns:
    """The file of finished runs.

    A line holds ``key`` (all settings of the run and the version of the code) and ``rows``. A line
    that a crash cut short is passed over.
    """

    path: Path

    def read(self) -> dict[str, list[Row]]:
        """Return the rows of every finished run by its key."""
        found: dict[str, list[Row]] = {}
        if self.path.is_file():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                except json.JSONDecodeError:
                    continue
                found[_text(record["key"])] = record["rows"]
        return found

    def find(self, runs: Sequence[Run]) -> dict[Run, list[Row]]:
        """Return those of ``runs`` that are finished, with their rows."""
        known = self.read()
        keys = {run: _text(_key(run)) for run in runs}
        return {run: known[key] for run, key in keys.items() if key in known}

    def append(self, run: Run, rows: list[Row]) -> None:
        """Add a finished run."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": _key(run), "rows": rows}) + "\n")


def _key(run: Run) -> dict[str, object]:
    return run.key() | {"version": code_version()}


def _text(key: dict[str, object]) -> str:
    return json.dumps(key, sort_keys=True)
