"""Cost of ``import accuracy_assay`` and of ``assay tell``, as ratios to the import of NumPy alone.

Each import runs in a fresh interpreter whose own start is subtracted; runs are interleaved and
the best of each counts. Heavy libraries that the import pulled in are listed: there must be none.
``assay tell`` records one answer in an assay of 2,000 instances with the default methods; its
processor time is shown beside that of the libraries it cannot do without.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAVY = (
    "jax",
    "matplotlib",
    "numpy",
    "optax",
    "pandas",
    "polars",
    "pydantic",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "typer",
)
STATEMENTS = {"nothing": "pass", "numpy": "import numpy", "ours": "import accuracy_assay"}


def seconds(statement: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - started


def heavy_after(statement: str) -> list[str]:
    code = f"{statement}\nimport sys; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.split()


TELL = "from accuracy_assay.cli import main; main()"
NEEDED = {
    "table (polars, numpy)": "import numpy, polars",
    "store (sqlalchemy)": "import sqlalchemy",
    "spec (pydantic)": "import pydantic",
    "command line (typer, rich)": "import typer, rich.console",
}


def processor_seconds(words: list[str], folder: Path | None = None) -> float:
    """Return the processor time, user and system, of a process of ours."""
    before = os.times()
    done = subprocess.run([sys.executable, "-c", *words], cwd=folder, capture_output=True)
    done.check_returncode()
    after = os.times()
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def time_tell(repeats: int) -> None:
    """Print the processor time of one answer told by the command line."""
    import polars as pl

    start = min(processor_seconds(["pass"]) for _ in range(repeats))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ids = [f"x{i}" for i in range(2_000)]
        pool = {"id": ids, "sex": ["f", "m"] * 1_000, "reader_pred": ["cat", "dog"] * 1_000}
        pl.DataFrame(pool).write_parquet(folder / "pool.parquet")
        for words in (["init", "--from", "pool.parquet"], ["init", "a", "--spec", "assay.toml"]):
            processor_seconds([TELL, *words], folder)
        told = min(
            processor_seconds([TELL, "tell", "a", f"x{i}=cat"], folder) for i in range(repeats)
        )
    print(f"assay tell {told:.2f} s of processor time, of which")
    for what, statement in {"interpreter": "pass", **NEEDED}.items():
        best = min(processor_seconds([statement]) for _ in range(repeats))
        print(f"  {what} {best - (start if statement != 'pass' else 0.0):.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    best = dict.fromkeys(STATEMENTS, float("inf"))
    for _ in range(options.repeats):
        for name, statement in STATEMENTS.items():
            best[name] = min(best[name], seconds(statement))
    numpy, ours = (max(best[name] - best["nothing"], 0.0) for name in ("numpy", "ours"))
    print(f"import numpy {numpy * 1e3:.1f} ms, import accuracy_assay {ours * 1e3:.1f} ms")
    print(f"ratio {ours / numpy:.2f}")
    print(f"heavy libraries loaded: {', '.join(heavy_after(STATEMENTS['ours'])) or 'none'}")
    time_tell(options.repeats)


if __name__ == "__main__":
    main()
