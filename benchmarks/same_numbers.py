"""Do the numbers stay where they were? Answers of every entry point, kept before, compared after.

    python benchmarks/same_numbers.py keep    before.npz --data ../shared/data
    python benchmarks/same_numbers.py compare before.npz --data ../shared/data
    python benchmarks/same_numbers.py compare before.npz --data ../shared/data --quick

``keep`` runs every case of ``benchmarks/number_cases`` and writes its numbers to a file: fits and
replays of every estimator and strategy, tables and columns of every kind, comparisons, plans,
gates and reports, sessions, commands. ``compare`` does it again and prints, for each case, the
largest difference. A restructure is done when all are below 1e-9. ``--quick`` takes a part of
the cases that still has every entry point.

Sums differ in the last digit with where memory lies, and an interval on a short lattice or a tie
between two picks may turn that into a jump; so a case that differs is run again, up to ``--tries``
times, and the nearest run counts. A case that fails is printed with its error, and differs.
Only names that users type are used, so the same script runs before and after.
"""

import argparse
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from number_cases import commands, fits, questions, sessions, tables
from number_cases.kept import Case, Kept

TOLERANCE = 1e-9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["keep", "compare", "list"])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--data", type=Path, help="folder of the tables that do not ship")
    parser.add_argument("--only", default="", help="names that contain this text")
    parser.add_argument("--quick", action="store_true", help="fewer cases, every entry point")
    parser.add_argument("--tries", type=int, default=4, help="runs of a case that differs")
    options = parser.parse_args()
    chosen = [
        case
        for case in planned(options.data)
        if options.only in case.name and (case.is_quick or not options.quick)
    ]
    if options.action == "list":
        print("\n".join(case.name for case in chosen))
        return 0
    if options.action == "keep":
        kept = {case.name: made for case in chosen if (made := of_case(case)) is not None}
        arrays = {f"{name}|{p}": a for name, made in kept.items() for p, a in made.items()}
        np.savez_compressed(options.file, **arrays)
        print(f"kept {len(arrays)} arrays of {len(kept)} of {len(chosen)} cases")
        return int(len(kept) < len(chosen))
    before = grouped(options.file)
    found = {case.name: nearest(case, before.get(case.name), options.tries) for case in chosen}
    worst = max(found.values())
    print(f"{len(found)} cases, largest difference {worst:.3g} (allowed {TOLERANCE:g})")
    return int(worst > TOLERANCE)


def planned(data: Path | None) -> Iterator[Case]:
    for part in (fits, tables, questions, sessions, commands):
        yield from part.cases(data)


def grouped(file: Path) -> dict[str, Kept]:
    """Return what a file keeps, by case and part."""
    found: dict[str, Kept] = {}
    with np.load(file) as kept:
        for key in kept.files:
            name, _, part = key.partition("|")
            found.setdefault(name, {})[part] = kept[key]
    return found


def nearest(case: Case, before: Kept | None, tries: int) -> float:
    """Return the smallest difference of some runs, and print it."""
    runs: list[tuple[float, str]] = []
    while len(runs) < tries and (not runs or runs[-1][0] > TOLERANCE):
        try:
            runs.append(farthest(timed(case), before))
        except Exception:
            traceback.print_exc()
            runs.append((float("inf"), "failed"))
    far, where = min(runs)
    shown = ", ".join(f"{d:.2g}" for d, _ in runs)
    others = f" ({shown})" if len(runs) > 1 else ""
    print(f"{far:9.2g}  {case.name}{others}{f': {where}' if far > TOLERANCE else ''}", flush=True)
    return far


def of_case(case: Case) -> Kept | None:
    """Return what a case keeps; None, with its error printed, if it fails."""
    try:
        return timed(case)
    except Exception:
        traceback.print_exc()
        return None


def timed(case: Case) -> Kept:
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = case.make()
    took = time.perf_counter() - started
    print(f"  {case.name}: {took:.1f} s", file=sys.stderr, flush=True)
    return values


def farthest(now: Kept, before: Kept | None) -> tuple[float, str]:
    """Return the largest difference of what was kept, and in which part; new parts are none."""
    if before is None:
        return float("inf"), "was not kept"
    gone = [part for part in before if part not in now]
    if gone:
        return float("inf"), f"{gone[0]} is gone"
    return max((distance(now[part], then), part) for part, then in before.items())


def distance(now: np.ndarray, then: np.ndarray) -> float:
    if now.shape != then.shape:
        return float("inf")
    if then.dtype.kind == "U" or now.dtype.kind == "U":
        return 0.0 if np.array_equal(now, then) else float("inf")
    if not np.array_equal(np.isnan(now), np.isnan(then)):
        return float("inf")
    return float(np.nan_to_num(np.abs(now - then)).max(initial=0.0))


if __name__ == "__main__":
    sys.exit(main())
