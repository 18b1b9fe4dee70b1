"""Count and fit Parquet that is larger than memory should be: seconds, and the most memory held.

Run with ``python benchmarks/stream_rows.py``. It makes a folder of Parquet files with six
attributes of dictionary-encoded texts, counts and fits it by ``estimate`` in a process of its own,
counts it alone, and deletes it. ``--rows 1e8 --values 6,5,4,4,3,4`` makes 5,760 arms, ``--values
12,10,9,8,7,12 --count-only`` 725,760. The last column compares with reading the same columns
without grouping them, in the same run.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

ROWS_PER_FILE = 4_000_000
"""Rows that are made at once: 0.7 GB with six attributes."""


def make(folder: Path, n_rows: int, values: list[int]) -> None:
    for k, first in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        rng = np.random.default_rng(k)
        n = min(ROWS_PER_FILE, n_rows - first)
        chance = np.full(n, 0.75)
        columns = {}
        for a, size in enumerate(values):
            code = rng.integers(0, size, n, dtype=np.uint32)
            chance += 0.2 * (code / size - 0.5)
            names = pl.Series([f"value {j} of {a}" for j in range(size)])
            columns[f"a{a}"] = names.gather(pl.Series(code))
        columns["correct"] = pl.Series((rng.random(n) < np.clip(chance, 0, 1)).astype(np.int8))
        pl.DataFrame(columns).write_parquet(folder / f"part-{k:04d}.parquet")


def work(what: str, folder: str, n_attributes: int) -> None:
    """Do one thing and print what it took."""
    begun = time.perf_counter()
    names = [f"a{k}" for k in range(n_attributes)]
    if what == "fit":
        import accuracy_assay as aa

        surface = aa.estimate(folder, names, score="correct")
        arms = surface.to_frame().select("correct", "n").sum()
        plain = arms["correct"][0] / arms["n"][0]
        found = (
            f"{surface.arms.size} arms, overall {surface.overall.mean:.4f}, of labels {plain:.4f}"
        )
    else:
        from accuracy_assay.files.parquet_rows import ParquetRows
        from accuracy_assay.study.read.streamed_scores import StreamedScores

        rows = ParquetRows.find(folder)
        assert rows is not None
        columns = [rows.column(name) for name in [*names, "correct"]]
        if what == "count":
            scores = StreamedScores(rows, "correct", None, None)
            keys = dict(zip(names, columns, strict=False))
            found = f"{scores.count(keys).height} groups"
        else:
            rows.ask([f"max({column})" for column in columns])
            found = f"{rows.n_rows} rows"
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = {"wall": time.perf_counter() - begun, "cpu": used.ru_utime + used.ru_stime}
    print(json.dumps({"found": found, "gb": most_memory(), **seconds}))


def most_memory() -> float:
    """Return the most memory that this process held, in GB; of ``ru_maxrss`` a child inherits."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--values", default="6,5,4,4,3,4")
    parser.add_argument("--count-only", action="store_true")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    values = [int(size) for size in asked.values.split(",")]
    if asked.work:
        work(*asked.work, len(values))
        return
    with tempfile.TemporaryDirectory(prefix="stream-rows-") as folder:
        begun = time.perf_counter()
        make(Path(folder), int(asked.rows), values)
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e9
        made = time.perf_counter() - begun
        print(f"{int(asked.rows)} rows, {size:.2f} GB, made in {made:.0f} s", flush=True)
        read = 0.0
        for what in ("read", "count") if asked.count_only else ("read", "count", "fit"):
            call = [sys.executable, __file__, "--values", asked.values, "--work", what, folder]
            done = json.loads(subprocess.run(call, check=True, capture_output=True).stdout)
            read = read or done["cpu"]
            print(
                f"{what:6s} {done['wall']:7.1f} s, {done['cpu']:7.1f} s of processor, "
                f"{done['gb']:.2f} GB, {done['cpu'] / read:.1f} times reading: {done['found']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
