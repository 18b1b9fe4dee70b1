"""Do the numbers stay where they were? Surfaces of the quick set, kept before and compared after.

    python benchmarks/same_numbers.py keep   before.npz --data ../shared/data
    python benchmarks/same_numbers.py compare before.npz --data ../shared/data

``keep`` fits every estimator to 500 labels of each task, replays three rounds of every strategy
and plays three rounds of a session, and writes all surfaces to a file. ``compare`` does it again
and prints, for each, the largest difference. A restructure is done when all are below 1e-9.
Sums differ in the last digit with where memory lies, and an interval on a short lattice or a tie
between two picks may turn that into a jump; so a case that differs is run again, up to ``--tries``
times, and the nearest run counts.
Only names that users type are used, so the same script runs before and after.
"""

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.tasks.registry import load_task

EXACT = ("digits-exact", "adult5", "am2g", "whisper-text")
GUESSED = ("digits", "am1n")
ESTIMATORS = (
    "constant",
    "beta-independent",
    "bern-gp",
    "beta-gp",
    "beta-gp-ab",
    "beta-gp-sl",
    "beta-gp-slp",
    "structured-regression",
    "shrinkage",
    "eb-regression",
    "metric-frame",
    "anova-gp",
)
STRATEGIES = ("random", "largest-variance", "variance-reduction")
TOLERANCE = 1e-9

Kept = dict[str, np.ndarray]
Make = Callable[[], Kept]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["keep", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", default="", help="names that contain this text")
    parser.add_argument("--tries", type=int, default=4, help="runs of a case that differs")
    options = parser.parse_args()
    if options.action == "keep":
        made = {
            f"{name}|{part}": array
            for name, make in planned(options.data)
            if options.only in name
            for part, array in timed(name, make).items()
        }
        np.savez_compressed(options.file, **made)
        print(f"kept {len(made)} arrays")
        return 0
    before = np.load(options.file)
    found = {
        name: nearest(name, make, before, options.tries)
        for name, make in planned(options.data)
        if options.only in name
    }
    worst = max(found.values())
    print(f"{len(found)} cases, largest difference {worst:.3g} (allowed {TOLERANCE:g})")
    return int(worst > TOLERANCE)


def nearest(name: str, make: Make, before: "np.lib.npyio.NpzFile", tries: int) -> float:
    differences: list[float] = []
    while len(differences) < tries and (not differences or differences[-1] > TOLERANCE):
        made = timed(name, make)
        differences.append(max(distance(a, before[f"{name}|{part}"]) for part, a in made.items()))
    shown = ", ".join(f"{d:.2g}" for d in differences)
    print(f"{min(differences):9.2g}  {name}" + (f" ({shown})" if len(differences) > 1 else ""))
    sys.stdout.flush()
    return min(differences)


def timed(name: str, make: Make) -> Kept:
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = make()
    print(f"  {name}: {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
    return values


def distance(now: np.ndarray, then: np.ndarray) -> float:
    if now.shape != then.shape:
        return float("inf")
    is_missing = np.isnan(now) & np.isnan(then)
    return float(np.abs(np.where(is_missing, 0.0, now - then)).max(initial=0.0))


def planned(data: Path | None) -> Iterator[tuple[str, Make]]:
    for name in EXACT:
        task = load_task(name, data)
        for estimator in ESTIMATORS:
            yield f"{name}/{estimator}", lambda t=task, e=estimator: estimated(t, e, ())
        for estimator in ("eb-regression", "anova-gp"):
            yield (
                f"{name}/{estimator}+signals",
                lambda t=task, e=estimator: estimated(t, e, t.signals),
            )
        for estimator in ("anova-gp", "beta-gp-slp"):
            for strategy in STRATEGIES:
                yield (
                    f"{name}/{estimator}/{strategy}",
                    lambda t=task, e=estimator, s=strategy: replayed(t, e, s, ()),
                )
        yield (
            f"{name}/anova-gp+signals/variance-reduction",
            lambda t=task: replayed(t, "anova-gp", "variance-reduction", t.signals),
        )
    for name in GUESSED:
        task = load_task(name, data)
        for estimator in ESTIMATORS:
            yield (
                f"{name}/{estimator}",
                lambda t=task, e=estimator: replayed(t, e, "random", (), budget=0),
            )
        for strategy in STRATEGIES:
            yield (
                f"{name}/anova-gp/{strategy}",
                lambda t=task, s=strategy: replayed(t, "anova-gp", s, ()),
            )
        yield f"{name}/fractional", lambda t=task: fractional(t)
    yield "session/am2g", lambda: session(load_task("am2g", data), has_seed=False)
    yield "session/am1n", lambda: session(load_task("am1n", data), has_seed=True)


def estimated(task: object, estimator: str, signals: tuple[str, ...]) -> Kept:
    labelled = task.rows.sample(500, seed=1, shuffle=True)
    attributes = task.arguments()["attributes"]
    surface = aa.estimate(
        labelled,
        attributes,
        task.score,
        pool=task.rows,
        signals=list(signals),
        estimator=estimator,
        seed=3,
    )
    return of_surface(surface)


def replayed(
    task: object, estimator: str, strategy: str, signals: tuple[str, ...], budget: int = 36
) -> Kept:
    arguments = {**task.arguments(), "signals": signals}
    history = aa.simulate(
        task.rows,
        estimator=estimator,
        strategy=strategy,
        calibration="full",
        seed_size=500,
        budget=budget,
        batch=12,
        seed=5,
        **arguments,
    )
    metrics = history.metrics.drop("seconds").cast(pl.Float64).to_numpy().astype(float)
    picks = history.picks.select("row", "probability").cast(pl.Float64).to_numpy()
    return {**of_surface(history.surface), "metrics": metrics, "picks": picks}


def fractional(task: object) -> Kept:
    """Split labels, for estimators of which the default is a mixture."""
    return replayed(task, "eb-regression", "largest-variance", ())


def session(task: object, *, has_seed: bool) -> Kept:
    """Three rounds of a session with two services, answered from the gold."""
    rows = task.rows.sample(6000, seed=2, shuffle=True).with_columns(
        pl.col("digit").cast(pl.String)
    )
    seed = rows[:400] if has_seed else None
    pool = rows[400:] if has_seed else rows
    spec = {
        "assay": {"budget": 60, "batch": 12, "seed": 1},
        "attribute": [
            {"name": name}
            | ({"evidence": task.evidence[name]} if name in task.evidence else {})
            | ({"from_label": True} if name in task.from_label else {})
            for name in task.attributes
        ],
        "service": [
            {"name": s, "column": f"{s}_pred", "confidence": f"{s}_confidence"}
            for s in ("google", "deepspeech")
        ],
        "label": {"choices": [str(d) for d in range(10)], "column": "digit"},
    }
    gold = dict(zip(rows["id"].cast(pl.String), rows["digit"], strict=True))
    place = {name: i for i, name in enumerate(gold)}
    kept: Kept = {}
    with tempfile.TemporaryDirectory() as folder:
        assay = aa.Assay.create(Path(folder) / "a.assay", spec, pool=pool, seed_set=seed)
        for round_number in range(3):
            batch = assay.ask(12, annotator="ann")["id"].to_list()
            assay.tell(batch, [gold[i] for i in batch], annotator="ann")
            kept[f"asked{round_number}"] = np.asarray([place[i] for i in batch], dtype=float)
        for service in ("google", "deepspeech"):
            surface = of_surface(assay.surface(service))
            kept |= {f"{service}.{part}": array for part, array in surface.items()}
        assay.close()
    return kept


def of_surface(surface: aa.AccuracySurface) -> Kept:
    columns = ("n", "correct", "support", "mean", "sd", "lower", "upper")
    overall = surface.overall
    return {name: np.asarray(getattr(surface, name)) for name in columns} | {
        "overall": np.asarray([overall.mean, overall.sd, overall.lower, overall.upper]),
        "expected": np.asarray([surface.details.get("expected_macro_mse") or np.nan], dtype=float),
    }


if __name__ == "__main__":
    sys.exit(main())
