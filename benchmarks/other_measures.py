"""Whether intervals of recall and of false-positive rates hold the rates of the pool.

Made pools of 4,000 rows with three groups and three regions; the service finds the class less
often in one group and one region, and has more false alarms in another. Labels are drawn at
random, or rows with a positive answer three times as often. Printed for arms, groups, the whole,
and the largest difference between groups: the share of 90 % intervals that hold the pool's own
rate, their mean width, and the mean error.

    python benchmarks/other_measures.py --labels 600 --pools 25
"""

import argparse
from collections import defaultdict

import numpy as np
import polars as pl

import accuracy_assay as aa

N_ROWS = 4000
MEASURES = {"recall:yes": True, "false-positive-rate:yes": False}


def make_pool(rng: np.random.Generator) -> pl.DataFrame:
    group = rng.choice(["a", "b", "c"], N_ROWS, p=[0.55, 0.3, 0.15])
    region = rng.choice(["x", "y", "z"], N_ROWS)
    is_due = rng.random(N_ROWS) < np.select([group == "a", group == "b"], [0.5, 0.35], 0.25)
    found = np.select([group == "a", group == "b"], [0.85, 0.8], 0.65) - 0.1 * (region == "z")
    alarm = np.where(region == "x", 0.25, 0.1)
    said = rng.random(N_ROWS) < np.where(is_due, found, alarm)
    truth, answer = (np.where(is_yes, "yes", "no") for is_yes in (is_due, said))
    return pl.DataFrame({"group": group, "region": region, "truth": truth, "said": answer})


def rate(pool: pl.DataFrame, is_of_class: bool) -> float:
    rows = pool.filter((pl.col("truth") == "yes") == is_of_class)
    return float((rows["said"] == "yes").mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=600)
    parser.add_argument("--pools", type=int, default=25)
    parser.add_argument("--estimator", default="anova-gp")
    given = parser.parse_args()
    seen = defaultdict(list)
    for seed in range(given.pools):
        rng = np.random.default_rng(seed)
        pool = make_pool(rng)
        for how, weight in (("at random", 1.0), ("by answer", 3.0)):
            chance = np.where(pool["said"].to_numpy() == "yes", weight, 1.0)
            rows = rng.choice(N_ROWS, given.labels, replace=False, p=chance / chance.sum())
            for measure, is_of_class in MEASURES.items():
                surface = aa.estimate(
                    pool[rows.tolist()],
                    ["group", "region"],
                    y_true="truth",
                    y_pred="said",
                    measure=measure,
                    pool=pool.drop("truth"),
                    estimator=given.estimator,
                )

                def note(of: str, low: float, mean: float, high: float, true: float) -> None:
                    key = (how, measure, of)  # noqa: B023
                    seen[key].append((low <= true <= high, high - low, mean - true))

                o, gap = surface.overall, surface.difference("group")
                note("whole", o.lower, o.mean, o.upper, rate(pool, is_of_class))
                groups = {}
                for names, of in ((["group"], "group"), (["group", "region"], "arm")):
                    for row in surface.by_group(*names).iter_rows(named=True):
                        part = pool.filter(*(pl.col(name) == row[name] for name in names))
                        true = rate(part, is_of_class)
                        groups |= {row["group"]: true} if of == "group" else {}
                        note(of, row["lower"], row["mean"], row["upper"], true)
                span = max(groups.values()) - min(groups.values())
                note("difference", gap.lower, gap.mean, gap.upper, span)
    for (how, measure, of), found in seen.items():
        held, width, error = np.mean(found, axis=0)
        print(f"labels {how}, {measure}, {of}: {held:.0%} held, width {width:.3f}, {error:+.3f}")


if __name__ == "__main__":
    main()
