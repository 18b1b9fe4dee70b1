"""Whether `AccuracySurface.slices` finds planted slices, and whether what it reports is true.

Made worlds of 3,000 arms (attributes of 10, 6, 5, 5 and 2 values, 60,000 pool rows) have an
accuracy near 90 % with small effects of every value, and three planted slices of one or two
attributes and at least 1 % of the pool, two logits below the rest; none has half of its rows in
another. 2,000 labels at random. A planted slice counts as found where a reported one has half of
its rows and is itself by half inside. A reported slice is false where its rows are not below the
overall accuracy minus the margin, counted from all rows. Flat worlds have one accuracy everywhere.
With ``--tasks`` real tasks are labelled at random at several sizes: no slice is planted there, but
which reported ones are false is known. Runs are kept in ``--out`` and not made again.
"""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from rich.progress import track

import accuracy_assay as aa
from accuracy_assay.tasks.registry import load_task

SIZES = (10, 6, 5, 5, 2)
ROWS, LABELS, PLANTED = 60_000, 2_000, 3
DEPTH, LEVEL = 2.0, 0.9
MARGIN = 0.05
TASK_LABELS = (100, 300, 1000, 2000)


def world(seed: int, *, is_flat: bool) -> tuple[pl.DataFrame, list[np.ndarray]]:
    """Return the rows of a made world and which of them each planted slice has."""
    rng = np.random.default_rng([seed, int(is_flat)])
    codes = np.stack(
        [rng.choice(size, ROWS, p=rng.dirichlet(np.full(size, 3.0))) for size in SIZES], axis=1
    )
    logit = np.full(ROWS, np.log(LEVEL / (1 - LEVEL)))
    planted: list[np.ndarray] = []
    if not is_flat:
        for k, size in enumerate(SIZES):
            logit += 0.25 * rng.standard_normal(size)[codes[:, k]]
        while len(planted) < PLANTED:
            named = rng.choice(len(SIZES) - 1, rng.integers(1, 3), replace=False)
            inside = np.all([codes[:, k] == rng.integers(SIZES[k]) for k in named], axis=0)
            shared = [(inside & other).sum() for other in planted]
            least = [min(inside.sum(), other.sum()) for other in planted]
            if inside.sum() < ROWS // 100 or any(
                2 * s > n for s, n in zip(shared, least, strict=True)
            ):
                continue
            planted.append(inside)
            logit[inside] -= DEPTH
    right = rng.random(ROWS) < 1 / (1 + np.exp(-logit))
    columns = {f"a{k}": codes[:, k] for k in range(len(SIZES))}
    return pl.DataFrame(columns | {"correct": right.astype(int)}), planted


def look(rows: pl.DataFrame, attributes: list, score: str, labels: int, seed: int) -> dict:  # type: ignore[type-arg]
    """Return what the slices of one random draw of labels are worth."""
    rng = np.random.default_rng([seed, labels, 7])
    labelled = rows[rng.choice(rows.height, labels, replace=False)]
    surface = aa.estimate(labelled, attributes, score=score, pool=rows)
    surface.joint_draws  # noqa: B018 (made here, so that the search alone is timed)
    start = time.perf_counter()
    found = surface.slices(margin=MARGIN)
    seconds = time.perf_counter() - start
    arm = surface.space.arm_index(surface.space.encode(rows))
    right = rows.get_column(score).to_numpy().astype(float)
    slices = []
    for each in found:
        inside = np.isin(arm, surface.arms[surface.space.matches(surface.arms, each.where)])
        truth = right[inside].mean()
        slices.append(
            {
                "name": each.name,
                "truth": truth,
                "mean": each.estimate.mean,
                "false": bool(truth >= right.mean() - MARGIN),
                "held": bool(each.estimate.lower <= truth <= each.estimate.upper),
                "thin": each.is_thin,
                "inside": inside,
            }
        )
    return {"slices": slices, "seconds": seconds, "searched": found.searched}


def made(seed: int, *, is_flat: bool) -> dict:  # type: ignore[type-arg]
    """Return one made world's outcome."""
    start = time.perf_counter()
    rows, planted = world(seed, is_flat=is_flat)
    outcome = look(rows, [f"a{k}" for k in range(len(SIZES))], "correct", LABELS, seed)
    hits = 0
    for region in planted:
        shared = [(region & each["inside"]).sum() for each in outcome["slices"]]
        sizes = [each["inside"].sum() for each in outcome["slices"]]
        hits += any(
            2 * s >= n and 2 * s >= region.sum() for s, n in zip(shared, sizes, strict=True)
        )
    return outcome | {
        "planted": len(planted),
        "found": hits,
        "whole_seconds": time.perf_counter() - start,
    }


def kept(path: Path, make) -> dict:  # type: ignore[type-arg,no-untyped-def]
    """Return a run, from its file where it was made before."""
    if not path.exists():
        outcome = make()
        for each in outcome["slices"]:
            del each["inside"]
        path.write_text(json.dumps(outcome))
    return json.loads(path.read_text())


def report(title: str, runs: list[dict]) -> None:  # type: ignore[type-arg]
    """Print one line on some runs."""
    slices = [each for run in runs for each in run["slices"]]
    planted = sum(run.get("planted", 0) for run in runs)
    said = f"{title}: {len(runs)} runs, {len(slices)} slices"
    if planted:
        said += f", found {sum(r['found'] for r in runs)} of {planted} planted"
    if slices:
        false = np.array([each["false"] for each in slices])
        by_run = [np.mean([e["false"] for e in r["slices"]]) if r["slices"] else 0 for r in runs]
        held = np.array([each["held"] for each in slices])
        thin = np.array([each["thin"] for each in slices])
        bias = 100 * np.mean([each["mean"] - each["truth"] for each in slices])
        said += (
            f", false {false.mean():.1%} (mean over runs {np.mean(by_run):.1%}), intervals hold "
            f"{held.mean():.1%}, bias {bias:+.1f} points, thin {thin.mean():.0%}"
        )
    seconds = [run["seconds"] for run in runs]
    print(f"{said}; search {np.median(seconds):.2f} s of {runs[0]['searched']:,}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/weak-slices"))
    parser.add_argument("--runs", type=int, default=200, help="made worlds with planted slices")
    parser.add_argument("--flat", type=int, default=50, help="flat worlds")
    parser.add_argument("--tasks", nargs="*", default=[])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=3, help="draws of labels of each task")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.tasks:
        task = load_task(name, args.data)
        attributes = task.columns.attributes
        for labels in TASK_LABELS:
            if 3 * labels > task.n_rows:
                continue
            runs = [
                kept(
                    args.out / f"{name}-{labels}-{seed}.json",
                    partial(look, task.rows, attributes, task.score, labels, seed),
                )
                for seed in range(args.seeds)
            ]
            report(f"{name} at {labels}", runs)
    for title, count in (("flat", args.flat), ("planted", args.runs)):
        runs = [
            kept(
                args.out / f"{title}-{seed}.json",
                partial(made, seed, is_flat=title == "flat"),
            )
            for seed in track(range(count), title)
        ]
        if runs:
            report(title, runs)


if __name__ == "__main__":
    main()
