"""A session on a large pool: wall-clock, processor seconds and peak memory of each command.

The pool is a Parquet file with exact attributes (2,880 arms), one service and a text to show; it
is made under a folder of its own and deleted. ``init`` reads and prepares it; the first ``ask``
and each that follows a round of labels fits, the others choose by the fit that is kept. The last
column is the processor time as a ratio to ``import numpy, polars`` in the same run.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = [sys.executable, str(Path(__file__).resolve())]
COMMAND = [sys.executable, "-c", "from accuracy_assay.cli import main; main()"]
SPEC = """
[assay]
name = "large"
budget = 1000
[pool]
path = "pool.parquet"
[[attribute]]
name = "region"
[[attribute]]
name = "device"
[[attribute]]
name = "hour"
kind = "ordinal"
values = ["00", "04", "08", "12", "16", "20"]
[[attribute]]
name = "language"
[[service]]
name = "reader"
column = "pred"
[label]
choices = ["cat", "dog"]
show = { text = "text" }
"""
PART = 1_000_000


def make_pool(path: Path, n_rows: int) -> None:
    """Write a pool, part by part."""
    import numpy as np  # here: a child's peak memory is at least its parent's when it began
    import polars as pl

    rng = np.random.default_rng(0)
    values = {
        "region": [f"region {i:02d}" for i in range(20)],
        "device": ["phone", "tablet", "desk", "watch"],
        "hour": ["00", "04", "08", "12", "16", "20"],
        "language": [f"lang {i}" for i in range(6)],
    }
    folder = path.with_suffix("")
    folder.mkdir()
    for part, start in enumerate(range(0, n_rows, PART)):
        size = min(PART, n_rows - start)
        number = pl.Series(np.arange(start, start + size))
        columns = {
            name: pl.Series(known)[rng.integers(0, len(known), size)]
            for name, known in values.items()
        }
        pl.DataFrame(
            {
                "id": "row-" + number.cast(pl.String).str.zfill(9),
                **columns,
                "pred": pl.Series(["cat", "dog"])[rng.integers(0, 2, size)],
                "text": "what row " + number.cast(pl.String) + " says",
            }
        ).write_parquet(folder / f"{part:04d}.parquet")
    pl.scan_parquet(folder / "*.parquet").sink_parquet(path)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def run(words: list[str], folder: Path) -> tuple[str, float, float, float]:
    """Return what a process prints, its wall-clock and processor seconds, and its peak MB."""
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        pid = os.posix_spawn(
            words[0],
            words,
            {**os.environ, "OMP_NUM_THREADS": "1"},
            file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)],
        )
        _, status, used = os.wait4(pid, 0)
        wall = time.perf_counter() - started
        if status:
            raise SystemExit(f"{words} failed with {status}")
        out.seek(0)
        said = out.read().decode()
    return said, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--labels", type=int, default=60)
    parser.add_argument("--asks", type=int, default=3)
    parser.add_argument("--make", type=Path, help="only write the pool to this file")
    options = parser.parse_args()
    if options.make is not None:
        make_pool(options.make, options.rows)
        return
    with tempfile.TemporaryDirectory(prefix="assay-large-") as name:
        folder = Path(name)
        os.chdir(folder)
        run([*SCRIPT, "--make", "pool.parquet", "--rows", str(options.rows)], folder)
        (folder / "assay.toml").write_text(SPEC)
        yard = min(run([sys.executable, "-c", "import numpy, polars"], folder)[2] for _ in "123")

        def measure(what: str, *words: str) -> str:
            said, wall, cpu, peak = run([*COMMAND, *words], folder)
            print(f"{what:28}{wall:9.2f}{cpu:9.2f}{peak:9.0f}{cpu / yard:9.1f}", flush=True)
            return said

        print(f"{options.rows:,} rows, {yard:.2f} s to import numpy and polars")
        print(f"{'':28}{'wall s':>9}{'cpu s':>9}{'peak MB':>9}{'ratio':>9}")
        measure("init (prepares)", "init", "s.assay", "--spec", "assay.toml")
        size = sum(f.stat().st_size for f in folder.glob("s.assay.cache/*/*"))
        print(f"kept beside the store: {size / 2**20:.0f} MB")
        batch = json.loads(measure("first ask (fits)", "ask", "s.assay", "--json"))
        rng = random.Random(1)
        n_labels = 0
        while n_labels < options.labels:
            answers = [f"{row['id']}={rng.choice(['cat', 'dog'])}" for row in batch]
            measure(f"tell {len(answers)}", "tell", "s.assay", *answers)
            n_labels += len(answers)
            batch = json.loads(measure("ask after labels (fits)", "ask", "s.assay", "--json"))
        for _ in range(options.asks):
            measure("ask again", "ask", "s.assay", "--json")
        measure("tell 1", "tell", "s.assay", f"{batch[0]['id']}=cat")
        measure("status", "status", "s.assay", "--json")


if __name__ == "__main__":
    main()
