"""Processor seconds of commands that end at once, as ratios to ``import numpy, polars``.

``assay tell`` records one answer and ``assay ask`` chooses a batch, in an assay of 2,000 instances
with the default methods. Prepared means that the pool and the last fit are kept beside the store,
as they are after the first command of each kind; without that, the folder is deleted before each
run. Best and median over the runs, which are interleaved; user and system time of the process.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COMMAND = "from accuracy_assay.cli import main; main()"
N_ROWS = 2_000


def processor_seconds(words: list[str], folder: Path) -> float:
    """Return the processor time of a process."""
    before = os.times()
    subprocess.run([sys.executable, "-c", *words], cwd=folder, capture_output=True, check=True)
    after = os.times()
    used = after.children_user - before.children_user
    return used + after.children_system - before.children_system


def make_assay(folder: Path) -> None:
    """Make the pool and the store."""
    lines = [f"x{i},{'fm'[i % 2]},{'abcde'[i % 5]},{['cat', 'dog'][i % 2]}" for i in range(N_ROWS)]
    (folder / "pool.csv").write_text("id,sex,age,reader_pred\n" + "\n".join(lines) + "\n")
    processor_seconds([COMMAND, "init", "--from", "pool.csv"], folder)
    processor_seconds([COMMAND, "init", "a", "--spec", "assay.toml"], folder)


def runs(folder: Path, numbers: Iterator[int]) -> dict[str, float]:
    """Return the processor time of every kind of run, once each."""

    def tell() -> float:
        return processor_seconds([COMMAND, "tell", "a", f"x{next(numbers)}=cat"], folder)

    def ask() -> float:
        return processor_seconds([COMMAND, "ask", "a", "1", "--json"], folder)

    found = {
        "python": processor_seconds(["pass"], folder),
        "import numpy, polars": processor_seconds(["import numpy, polars"], folder),
        "assay --version": processor_seconds([COMMAND, "--version"], folder),
        "assay tell, prepared": tell(),
        "assay ask, new label (fits)": ask(),
        "assay ask, prepared": ask(),
    }
    shutil.rmtree(folder / "a.cache")
    found["assay tell, not prepared"] = tell()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    numbers = iter(range(N_ROWS))
    with tempfile.TemporaryDirectory() as name:
        make_assay(Path(name))
        every = [runs(Path(name), numbers) for _ in range(options.repeats)]
    yard = statistics.median(each["import numpy, polars"] for each in every)
    print(f"{'processor seconds':30}{'best':>8}{'median':>8}{'ratio':>8}")
    for what in every[0]:
        seconds = [each[what] for each in every]
        median = statistics.median(seconds)
        print(f"{what:30}{min(seconds):8.2f}{median:8.2f}{median / yard:8.2f}")


if __name__ == "__main__":
    main()
