"""Cost of ``import accuracy_assay`` as a ratio to the import of NumPy alone.

Each import runs in a fresh interpreter whose own start is subtracted; runs are interleaved and
the best of each counts. Heavy libraries that the import pulled in are listed: there must be none.
What commands cost is in ``cold_start.py``.
"""

import argparse
import subprocess
import sys
import time

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


if __name__ == "__main__":
    main()
