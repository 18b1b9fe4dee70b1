"""Are differences of services as sure as they say.

Random labels are drawn from a pool whose truth is known. For every pair of services the 90 %
interval of the difference of the pool, of each value of an attribute and of each arm, of 20 rows
or more, is held against the truth: the share that holds it, its mean width, and the root mean
square error of the difference, in percentage points. Beside it the same of the same surfaces taken
as independent, and of the accuracies. Probabilities of being better in an arm are held against who
is, in four bins. ``--out`` keeps every question as a line of JSON, to compare two versions of the
code on the same draws.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from assay_bench.differences import Found, asked_differences

BINS = (0.5, 0.65, 0.8, 0.95, 1.0)
SPOKEN = ("google", "microsoft", "ibm", "deepspeech")


@dataclass(frozen=True)
class Bed:
    """Rows with known scores, and how services are named in them."""

    rows: pl.DataFrame
    attributes: list[str]
    given: dict[str, object]
    scores: dict[str, str]


def main() -> None:
    """Print a table for each bed and number of labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bed", nargs="+", default=list(BEDS), choices=list(BEDS))
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=None)
    args = parser.parse_args()
    for name in args.bed:
        bed = BEDS[name](args.data)
        for labels in args.labels:
            found: list[Found] = []
            for seed in range(args.seeds):
                for each in draw(bed, labels, seed):
                    found.append({"bed": name, "labels": labels, "seed": seed, **each})
            show(name, labels, pl.DataFrame(found))
            if args.out is not None:
                with args.out.open("a") as file:
                    file.writelines(json.dumps(each) + "\n" for each in found)


def two_models(data: Path) -> Bed:
    """Return two language models on 57 subjects, with scores only."""
    rows = pl.read_parquet(data / "mmlu_pair" / "pool.parquet")
    scores = {"gpt4": "gpt4_correct", "mixtral": "mixtral_correct"}
    return Bed(rows.select("subject", *scores.values()), ["subject"], {"scores": scores}, scores)


def three_prompts(data: Path) -> Bed:
    """Return three predictors of bbq with their answers."""
    rows = pl.read_parquet(data / "bbq" / "pool.parquet")
    attributes = ["category", "question_polarity", "context_condition", "group"]
    return _answered(rows, attributes, ("race", "arc", "qonly"), "truth")


def four_services(data: Path) -> Bed:
    """Return four speech services on 8,000 spoken digits, with their answers."""
    rows = pl.read_parquet(data / "audiomnist" / "pool.parquet").filter(~pl.col("attr_train"))
    attributes = ["gender", "accent_group", "duration_band", "loudness_band"]
    return _answered(rows.sample(8000, seed=1), attributes, SPOKEN, "digit")


def made_world(data: Path) -> Bed:
    """Return three services that find the same rows hard, made with a fixed seed."""
    del data
    rng = np.random.default_rng(7)
    n = 5000
    a, b, c = (rng.integers(0, size, n) for size in (5, 4, 3))
    cell = (a * 4 + b) * 3 + c
    base = 0.9 + 0.6 * (rng.standard_normal(5)[a] + rng.standard_normal(4)[b])
    base += 0.4 * rng.standard_normal(60)[cell] + 1.2 * rng.standard_normal(n)
    truth, usual = rng.integers(0, 4, n), rng.integers(1, 4, n)
    columns = {"a": a, "b": b, "c": c, "truth": truth}
    names = ("s0", "s1", "s2")
    for name, ahead in zip(names, (0.5, 0.2, -0.3), strict=True):
        eta = base + ahead + 0.5 * rng.standard_normal(60)[cell]
        is_right = rng.random(n) < 1.0 / (1.0 + np.exp(-eta))
        wrong = np.where(rng.random(n) < 0.5, usual, rng.integers(1, 4, n))
        columns[f"{name}_pred"] = np.where(is_right, truth, (truth + wrong) % 4)
        columns[f"{name}_correct"] = is_right.astype(np.int64)
    texts = ["a", "b", "c", "truth", *(f"{name}_pred" for name in names)]
    rows = pl.DataFrame(columns).with_columns(pl.col(texts).cast(pl.String))
    return _answered(rows, ["a", "b", "c"], names, "truth")


BEDS = {
    "mmlu_pair": two_models,
    "bbq": three_prompts,
    "audiomnist": four_services,
    "made": made_world,
}


def _answered(
    rows: pl.DataFrame, attributes: list[str], services: tuple[str, ...], truth: str
) -> Bed:
    given = {"services": {name: f"{name}_pred" for name in services}, "y_true": truth}
    return Bed(rows, attributes, given, {name: f"{name}_correct" for name in services})


def draw(bed: Bed, labels: int, seed: int) -> Iterator[Found]:
    """Yield what is said of each question from one draw of labels, beside the truth."""
    labelled = bed.rows.sample(labels, seed=seed)
    shared = aa.compare(labelled, bed.attributes, pool=bed.rows, **bed.given)
    methods = {"shared": shared, "independent": aa.compare(dict(shared.surfaces))}
    for method, board in methods.items():
        for each in asked_differences(board, bed.rows, bed.attributes, bed.scores):
            yield {"method": method, **each}
    for place in shared:
        e = place.estimate
        truth = bed.rows[bed.scores[place.name]].mean()
        numbers = {"mean": e.mean, "lower": e.lower, "upper": e.upper}
        yield {"method": "shared", "of": "accuracy", "truth": truth, **numbers, "p": 0.5}


def show(name: str, labels: int, found: pl.DataFrame) -> None:
    """Print coverage, width and error by method, then the reliability of probabilities."""
    holds = pl.col("truth").is_between(pl.col("lower") - 1e-9, pl.col("upper") + 1e-9)
    summary = (
        found.group_by("of", "method", maintain_order=True)
        .agg(
            (100 * holds.mean()).round(1).alias("held %"),
            (100 * (pl.col("upper") - pl.col("lower")).mean()).round(2).alias("width"),
            (100 * ((pl.col("mean") - pl.col("truth")) ** 2).mean().sqrt()).round(2).alias("rmse"),
        )
        .sort("of", "method")
    )
    print(f"{name}, {labels} labels", summary, sep="\n", flush=True)
    arms = found.filter(pl.col("of") == "arm", pl.col("truth") != 0.0)
    won = (pl.col("truth") > 0.0).cast(pl.Float64)
    # Either service may be called the first: a probability p of one is 1 - p of the other.
    both = pl.concat(
        [
            arms.select("method", "p", won=won),
            arms.select("method", p=1.0 - pl.col("p"), won=1.0 - won),
        ]
    )
    for low, high in pairwise(BINS):
        part = both.filter(pl.col("p") > low, pl.col("p") <= high)
        for method, each in part.group_by("method", maintain_order=True):
            said, was = each["p"].mean(), each["won"].mean()
            print(f"{method[0]:12} says {said:.0%}, is {was:.0%} ({each.height})", flush=True)


if __name__ == "__main__":
    main()
