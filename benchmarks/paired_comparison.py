"""Are differences of services as sure as they say: paired, and as if labels were independent.

Random labels are drawn from a pool whose truth is known. For every pair of services the 90 %
interval of the difference, of the pool and of each arm of 20 rows or more, is held against the
truth: the share that holds it, its mean width, and the root mean square error of the difference,
in percentage points. Beside it, on the first draws, the same of two surfaces taken as independent,
without the other services as referees and, where their answers are known, with them; and of the
accuracies. Probabilities of being better in an arm are held against who is, in four bins.
"""

import argparse
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.study.compare.compare import compare_surfaces
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.paired_tables import PairedTables
from accuracy_assay.tasks.registry import load_task

LEAST_ROWS = 20
BINS = (0.5, 0.65, 0.8, 0.95, 1.0)
SPOKEN = ("google", "microsoft", "ibm", "deepspeech")


def main() -> None:
    """Print a table for each task and number of labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs="+", default=["mmlu_pair", "am3g"])
    parser.add_argument("--services", nargs="+", default=SPOKEN, help="of am3g")
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--beside", type=int, default=10, help="draws with surfaces beside")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    for name in args.task:
        rows, attributes, columns = read(name, args.data, args.services)
        for labels in args.labels:
            found: list[dict[str, object]] = []
            for seed in range(args.seeds):
                is_beside = seed < args.beside
                found += draw(rows, attributes, columns, labels, seed, is_beside=is_beside)
            show(name, labels, pl.DataFrame(found))


def read(
    name: str, data: Path, services: list[str]
) -> tuple[pl.DataFrame, list[aa.Attribute], dict[str, list[str]]]:
    """Return the rows, the attributes, and the columns of answers and of scores."""
    task = load_task(name, data)
    if name == "mmlu_pair":
        attributes, columns = ["subject"], {"scores": ["gpt4_correct", "mixtral_correct"]}
    else:
        attributes = list(task.attributes)
        columns = {
            "services": [f"{service}_pred" for service in services],
            "scores": [f"{service}_correct" for service in services],
        }
    return task.rows, [aa.Attribute.infer(task.rows[a]) for a in attributes], columns


def draw(
    rows: pl.DataFrame,
    attributes: list[aa.Attribute],
    columns: dict[str, list[str]],
    labels: int,
    seed: int,
    *,
    is_beside: bool,
) -> list[dict[str, object]]:
    """Return what each method says of each pair and arm from one draw of labels."""
    labelled = rows.sample(labels, seed=seed)
    names, gold = columns["scores"], golds(rows, attributes, columns["scores"])
    given: dict[str, object] = {"scores": names}
    if "services" in columns:
        answers = dict(zip(names, columns["services"], strict=True))
        given = {"services": answers, "y_true": "digit"}
    methods = {}
    if is_beside:
        alone = {n: aa.estimate(labelled, attributes, n, pool=rows) for n in names}
        methods["independent"] = compare_surfaces(alone)
        methods["paired"] = aa.compare(labelled, attributes, pool=rows, **given)
        if "services" in columns:
            methods["referees"] = compare_surfaces(methods["paired"].surfaces)
    else:
        methods["paired"] = differences_alone(labelled, attributes, rows, given)
    found: list[dict[str, object]] = []
    for method, comparison in methods.items():
        for pair in combinations(names, 2):
            found += judge(method, comparison, pair, gold, seed)
        if is_beside:
            found += judge_accuracies(method, comparison, gold, seed)
    return found


def differences_alone(
    labelled: pl.DataFrame,
    attributes: list[aa.Attribute],
    pool: pl.DataFrame,
    given: dict[str, object],
) -> Comparison:
    """Return the paired comparison without the cost of the services' own surfaces."""
    empty = dict.fromkeys(("services", "y_true", "scores", "cluster", "target"))
    options = {"pool": pool, "agreement": "equal", **empty, **given}
    tables = PairedTables.read(labelled, attributes, **options)
    scored = labelled.with_columns(s=pl.lit(1.0))
    surface = aa.estimate(scored, attributes, "s", pool=pool, estimator="beta-independent")
    pairs = tables.differences(surface, "anova-gp", 0)
    return Comparison(dict.fromkeys(tables.scores, surface), pairs, surface.weights())


def golds(
    rows: pl.DataFrame, attributes: list[aa.Attribute], scores: list[str]
) -> dict[str, np.ndarray]:
    """Return the accuracy of each service in each arm, and the rows of the arm, (A,) each."""
    space = AttributeSpace(tuple(attributes))
    arm = space.arm_index(space.encode(rows))
    size = np.bincount(arm, minlength=space.n_arms).astype(float)
    every = {"": size}
    for name in scores:
        value = rows[name].cast(pl.Float64).to_numpy()
        every[name] = np.bincount(arm, value, space.n_arms) / np.maximum(size, 1.0)
    return every


def judge(
    method: str, comparison: Comparison, pair: tuple[str, str], gold: dict, seed: int
) -> list[dict[str, object]]:
    """Return the difference of the pool and of each large arm beside the truth."""
    truth, size = gold[pair[0]] - gold[pair[1]], gold[""]
    whole = comparison.difference(*pair)
    over = float(truth @ size / size.sum())
    said = [("pool", over, whole.mean, whole.lower, whole.upper, whole.probability)]
    frame = comparison.better(*pair)
    at = np.flatnonzero(size > 0.0)
    for i, row in zip(at, frame.iter_rows(named=True), strict=True):
        if size[i] >= LEAST_ROWS:
            numbers = (row[c] for c in ("difference", "lower", "upper", "probability"))
            said.append(("arm", truth[i], *numbers))
    columns = ("of", "truth", "mean", "lower", "upper", "probability")
    return [
        {"method": method, "pair": " ".join(pair), "seed": seed}
        | dict(zip(columns, each, strict=True))
        for each in said
    ]


def judge_accuracies(
    method: str, comparison: Comparison, gold: dict, seed: int
) -> list[dict[str, object]]:
    """Return the accuracy that each place has beside the truth."""
    size = gold[""]
    return [
        {
            "method": method,
            "pair": place.name,
            "seed": seed,
            "of": "accuracy",
            "truth": float(gold[place.name] @ size / size.sum()),
            "mean": place.estimate.mean,
            "lower": place.estimate.lower,
            "upper": place.estimate.upper,
            "probability": place.probability_best,
        }
        for place in comparison
    ]


def show(name: str, labels: int, found: pl.DataFrame) -> None:
    """Print coverage, width and error by method, then the reliability of probabilities."""
    holds = (pl.col("truth") >= pl.col("lower") - 1e-9) & (
        pl.col("truth") <= pl.col("upper") + 1e-9
    )
    summary = (
        found.group_by("of", "method", maintain_order=True)
        .agg(
            (100 * holds.mean()).round(1).alias("held %"),
            (100 * (pl.col("upper") - pl.col("lower")).mean()).round(2).alias("width"),
            (100 * ((pl.col("mean") - pl.col("truth")) ** 2).mean().sqrt()).round(2).alias("rmse"),
        )
        .sort("of", "method")
    )
    per_pair = (
        found.filter(pl.col("of") == "pool", pl.col("method") == "paired")
        .group_by("pair", maintain_order=True)
        .agg(
            (100 * holds.mean()).round(1).alias("held %"),
            (100 * (pl.col("mean") - pl.col("truth")).mean()).round(2).alias("bias"),
        )
    )
    print(f"{name}, {labels} labels", summary, per_pair, sep="\n", flush=True)
    arms = found.filter(pl.col("of") == "arm", pl.col("truth") != 0.0)
    won = (pl.col("truth") > 0.0).cast(pl.Float64)
    # Either service may be called the first: a probability p of one is 1 - p of the other.
    both = pl.concat(
        [
            arms.select("method", "probability", won=won),
            arms.select("method", probability=1.0 - pl.col("probability"), won=1.0 - won),
        ]
    )
    for low, high in pairwise(BINS):
        part = both.filter(pl.col("probability") > low, pl.col("probability") <= high)
        for method, each in part.group_by("method", maintain_order=True):
            said, was = each["probability"].mean(), each["won"].mean()
            print(f"{method[0]:12} says {said:.0%}, is {was:.0%} ({each.height})", flush=True)


if __name__ == "__main__":
    main()
