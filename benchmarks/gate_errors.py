"""How often a gate fails where nothing has changed, and how often where something has.

Each run has an old and a new service with the same accuracy in every arm: the new one's scores are
those of the old one, shuffled among the rows of each arm. ``independent``: each is known by labels
of its own, drawn at random and disjoint, and two surfaces are compared. ``paired``: the same
labels score both. A gate is ``not_worse_than`` with ``by``, over all values and arms or between
the values of one attribute, at a confidence of 0.95. The share of gates that fail is to be at most
5 %. In runs with a fall, right answers of the new service are made wrong until one value of that
attribute, that with the most rows, is less accurate by ``--fall``; the share that fails is then
the power, and the share that passes should be nothing.

With ``--spreads`` it is counted instead how far the truth lies from what surfaces say of the whole
pool and of each value of each attribute, and two surfaces of one service from one another, in
standard deviations: the root mean square, which is to be 1.

Runs are kept in ``--out``, one line each, and not made again.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.cli.console import steps
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.paired_tables import PairedTables
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.synthetic import synthetic
from accuracy_assay.tasks.task import Task

MADE = {"rows": 8_000, "attributes": 3, "values": 6}
"""216 arms of 37 rows on average; every run makes a world of its own."""
LOSSES = (0.0, 0.02)


def main() -> None:
    """Run what has not been run, and print one line per world, method, family and loss."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", nargs="+", default=["made", "bbq", "adult5"])
    parser.add_argument("--labels", type=int, nargs="+", default=[300, 1000])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--power-runs", type=int, default=100)
    parser.add_argument("--fall", type=float, default=0.1)
    parser.add_argument("--spreads", action="store_true", help="count deviations, not gates")
    parser.add_argument("--target", default="pool", choices=["pool", "population"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("out/gate_errors.jsonl"))
    args = parser.parse_args()
    if args.spreads:
        for world in args.world:
            for labels in args.labels:
                show_spreads(world, labels, args.runs, args.data)
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    kept = read_kept(args.out)
    wanted = [
        (world, labels, args.target, fall, seed)
        for world in args.world
        for labels in args.labels
        for fall, runs in ((0.0, args.runs), (args.fall, args.power_runs))
        for seed in range(runs)
    ]
    missing = [key for key in wanted if key not in kept]
    with steps("gates") as advance, args.out.open("a", encoding="utf-8") as file:
        for done, key in enumerate(missing):
            advance(done, len(missing), " ".join(map(str, key)))
            kept[key] = run(*key, args.data)
            file.write(json.dumps({"key": key, "found": kept[key]}) + "\n")
            file.flush()
        advance(len(missing), len(missing), "")
    show([(key, kept[key]) for key in wanted])


def read_kept(path: Path) -> dict[tuple[object, ...], dict[str, str]]:
    """Return the runs of an earlier call."""
    if not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {tuple(line["key"]): line["found"] for line in lines}


def run(
    world: str, labels: int, target: str, fall: float, seed: int, data: Path
) -> dict[str, str]:
    """Return the verdict of each gate of one world."""
    task = read_world(world, seed, data)
    attributes = task.columns.attributes
    rng = np.random.default_rng([seed, labels])
    space = AttributeSpace(tuple(attributes))
    codes = space.encode(task.rows)
    old = task.rows.get_column(task.score).cast(pl.Float64).to_numpy()
    new = lower(shuffle(old, space.arm_index(codes), rng), codes[:, 0], fall, rng)
    rows = task.rows.select(task.attributes).with_columns(old=pl.Series(old), new=pl.Series(new))
    at = rng.permutation(rows.height)
    options = {"pool": rows, "target": target}
    before = aa.estimate(rows[at[:labels]], attributes, "old", **options)
    after = aa.estimate(rows[at[labels : 2 * labels]], attributes, "new", **options)
    paired = compare_paired(rows[at[:labels]], attributes, rows, before, target)
    return {
        f"{method} {'one' if between else 'all'} {by:g}": aa.check(
            after, not_worse_than=older, by=by, between=between
        ).verdict
        for method, older in (("independent", before), ("paired", paired))
        for between in (None, attributes[0].name)
        for by in LOSSES
    }


def show_spreads(world: str, labels: int, runs: int, data: Path) -> None:
    """Print how many standard deviations surfaces are off, of the truth and of one another."""
    off, apart = [], []
    with steps(f"{world} {labels}") as advance:
        for seed in range(runs):
            advance(seed, runs, "")
            task = read_world(world, seed, data)
            attributes = task.columns.attributes
            at = np.random.default_rng([seed, labels]).permutation(task.rows.height)
            pair = []
            for part in (at[:labels], at[labels : 2 * labels]):
                surface = aa.estimate(
                    task.rows[part], attributes, task.score, pool=task.rows, target="pool"
                )
                pair.append(averages(surface, [a.name for a in attributes]))
            truth = truths(task, pair[0])
            off += [(mean - truth[k]) / sd for one in pair for k, (mean, sd) in one.items()]
            both = [(*pair[0][k], *pair[1][k]) for k in pair[0] if k in pair[1]]
            apart += [(a - b) / np.hypot(s, t) for a, s, b, t in both]
    rms = [np.sqrt(np.mean(np.square(z))) for z in (off, apart)]
    print(
        f"{world}, {labels} labels, {runs} runs: the truth is {rms[0]:.2f} deviations away, two "
        f"surfaces {rms[1]:.2f} ({len(off)} and {len(apart)} averages)"
    )


def averages(surface: AccuracySurface, names: list[str]) -> dict[object, tuple[float, float]]:
    """Return mean and deviation of the whole and of each value with 20 pool rows or more."""
    found: dict[object, tuple[float, float]] = {"": (surface.overall.mean, surface.overall.sd)}
    for name in names:
        for row in surface.marginal(name).iter_rows(named=True):
            if row["support"] >= 20:
                found[name, row[name]] = row["mean"], row["sd"]
    return found


def truths(task: Task, places: dict[object, tuple[float, float]]) -> dict[object, float]:
    """Return the accuracy of these places over all rows."""
    score = pl.col(task.score).cast(pl.Float64).mean()
    found: dict[object, float] = {"": task.rows.select(score).item()}
    for name in task.attributes:
        for row in task.rows.group_by(name).agg(score.alias("__truth")).iter_rows(named=True):
            found[name, row[name]] = row["__truth"]
    return {place: found[place] for place in places}


def read_world(world: str, seed: int, data: Path) -> Task:
    if world == "made":
        return synthetic(**MADE, seed=seed)
    return load_task(world, data)


def shuffle(scores: np.ndarray, arm: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the scores with those of each arm in another order."""
    order = np.argsort(arm, kind="stable")
    other = np.lexsort((rng.random(arm.size), arm))
    shuffled = np.empty_like(scores)
    shuffled[order] = scores[other]
    return shuffled


def lower(
    scores: np.ndarray, code: np.ndarray, fall: float, rng: np.random.Generator
) -> np.ndarray:
    """Return scores of which the most frequent value's are lower by ``fall`` on average."""
    inside = np.flatnonzero(code == np.bincount(code).argmax())
    right = rng.permutation(inside[scores[inside] > 0.0])
    lowered = scores.copy()
    lost = np.cumsum(scores[right]) <= fall * inside.size
    lowered[right[lost]] = 0.0
    return lowered


def compare_paired(
    labelled: pl.DataFrame,
    attributes: list[aa.Attribute],
    pool: pl.DataFrame,
    surface: AccuracySurface,
    target: str,
) -> Comparison:
    """Return the paired comparison of new and old, without a fit of the new one's surface."""
    empty = dict.fromkeys(("services", "y_true", "cluster"))
    tables = PairedTables.read(
        labelled,
        attributes,
        pool=pool,
        scores=["new", "old"],
        agreement="equal",
        target=target,
        **empty,
    )
    pairs = tables.differences(surface, "anova-gp", 0)
    return Comparison({"new": surface, "old": surface}, pairs, surface.weights())


def show(runs: list[tuple[tuple[object, ...], dict[str, str]]]) -> None:
    """Print the share of each verdict."""
    groups: dict[tuple[object, ...], list[dict[str, str]]] = {}
    for (world, labels, target, fall, _), found in runs:
        groups.setdefault((world, labels, target, fall), []).append(found)
    for (world, labels, target, fall), found in groups.items():
        print(f"{world}, {labels} labels, {target}, a fall of {fall:g}, {len(found)} runs")
        for gate in found[0]:
            said = [each[gate] for each in found]
            fails, passes = (100 * np.mean([v == w for v in said]) for w in ("fail", "pass"))
            error = np.sqrt(fails * (100 - fails) / len(said))
            print(f"  {gate:24} fails {fails:5.1f} % ({error:.1f})  passes {passes:5.1f} %")


if __name__ == "__main__":
    main()
