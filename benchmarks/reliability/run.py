"""Put stores and services under strain and write down what happened.

    python benchmarks/reliability/run.py [--quick] [--out out/reliability] [PART ...]

Parts: ``kill`` (kill -9 of an annotator at 200 random moments), ``crowd`` (50 annotators at once,
5,000 labels, as threads and as processes), ``disk`` (a disk that fills up), ``away`` (a database
that is gone for 10 seconds), ``http`` (a service that fails in every way), ``flips`` (2,000 bits
of a store, one at a time), ``savers`` (processes that save one path at once), ``tampered`` (10,000
surface and calibration files that were changed), ``mangled`` (10,000 tables, specs and files of
answers of each kind, mangled at random). SQLite and PostgreSQL where both apply; PostgreSQL is a
private server that flushes every commit to disk. Every part fails loudly when a promise is broken.
Results go to ``reliability.json`` and ``reliability.md``.

Beside it are scripts that can be stopped and go on where they stopped: ``kills.py``,
``disk_faults.py``, ``power_cuts.py``, ``histories.py`` and ``mangled.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests" / "support")]

import crowd  # noqa: E402
import faults  # noqa: E402
import flips  # noqa: E402
import kill  # noqa: E402
import mangled  # noqa: E402
import shared_files  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402

Row = dict[str, Any]


@contextmanager
def stores(folder: Path) -> Iterator[tuple[PostgresServer, Callable[[str, str], str]]]:
    """Start a durable PostgreSQL; yield it and a function that names a fresh store."""
    server = PostgresServer.start(is_durable=True)

    def fresh(kind: str, name: str) -> str:
        return (
            server.url_of_schema(name) if kind == "postgresql" else str(folder / f"{name}.assay")
        )

    try:
        yield server, fresh
    finally:
        server.remove()


def measure(parts: list[str], folder: Path, *, is_quick: bool) -> Iterator[Row]:
    """Yield one row for each part and store."""
    with stores(folder) as (server, fresh):
        for kind in ("sqlite", "postgresql"):
            if "kill" in parts:
                yield kill.run(kind, fresh(kind, "killed"), folder, 10 if is_quick else 200)
            if "crowd" in parts:
                for workers in ("threads", "processes"):
                    store = fresh(kind, f"crowd_{workers}")
                    yield crowd.run(
                        kind, store, folder, workers, 10 if is_quick else crowd.ANNOTATORS
                    )
        if "disk" in parts:
            yield faults.disk_full(folder)
        if "away" in parts:
            store = fresh("postgresql", "away")
            yield faults.database_away(server, store, folder, 2.0 if is_quick else 10.0)
        if "http" in parts:
            yield from faults.http_faults(folder, 200 if is_quick else 1000)
    if "flips" in parts:
        yield flips.run(folder, 100 if is_quick else 2_000)
    if "savers" in parts:
        yield shared_files.savers(folder, 4, 50 if is_quick else 500)
    if "tampered" in parts:
        yield from shared_files.tampered(folder, 500 if is_quick else 10_000)
    if "mangled" in parts:
        yield from mangled.run(folder, 500 if is_quick else 10_000)


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| part | store | what happened |", "|---|---|---|"]
    for row in rows:
        facts = ", ".join(
            f"{key.replace('_', ' ')} {value}"
            for key, value in row.items()
            if key not in ("part", "store")
        )
        lines.append(f"| {row['part']} | {row['store']} | {facts} |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    known = ["kill", "crowd", "disk", "away", "http", "flips", "savers", "tampered", "mangled"]
    parser.add_argument("parts", nargs="*", help=f"parts to run, of {known}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter")
    parser.add_argument("--out", type=Path, default=Path("out/reliability"))
    options = parser.parse_args()
    started, rows = time.perf_counter(), []
    with tempfile.TemporaryDirectory(prefix="assay-reliability-") as folder:
        os.environ["ASSAY_STATE"] = str(Path(folder) / "state")
        for row in measure(options.parts or known, Path(folder), is_quick=options.quick):
            rows.append(row)
            print(json.dumps(row), flush=True)
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    options.out.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "seconds": time.perf_counter() - started, "rows": rows}
    (options.out / "reliability.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    (options.out / "reliability.md").write_text(table(rows), encoding="utf-8")
    print(f"\n{machine}, {content['seconds']:.0f} s\n\n{table(rows)}")


if __name__ == "__main__":
    main()
