"""Whether a lenient judge is found where it is lenient, and an honest one left in peace.

A made world of eight arms (``tests/support/judged_world.py``): the score of the judge is the
chance that the answer is right, but in one arm, where its log-odds are larger by ``--leniency``.
Printed: in how many draws that arm is called lenient, in how many no other arm is called anything,
and of an honest judge how many arms are called biased and how many intervals leave out zero.

    python benchmarks/judge_bias.py --labels 400 --leniency 3
"""

import argparse
import sys
from pathlib import Path

import polars as pl

import accuracy_assay as aa

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
from judged_world import LENIENT_ON, make_world


def report(seed: int, n_labels: int, leniency: float, estimator: str) -> pl.DataFrame:
    pool, labelled = make_world(seed, n_labels, leniency=leniency)
    options = {"pool": pool, "judges": ["score"], "estimator": estimator}
    return aa.judge_report(labelled, list(LENIENT_ON), "right", **options).arms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=400)
    parser.add_argument("--leniency", type=float, default=3.0)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--estimator", default="anova-gp")
    given = parser.parse_args()
    n_found = n_alone = n_blamed = n_without_zero = n_arms = 0
    there = [pl.col(name) == value for name, value in LENIENT_ON.items()]
    for seed in range(given.draws):
        arms = report(seed, given.labels, given.leniency, given.estimator)
        clear = arms.filter(pl.col("verdict") != "")
        hit = clear.filter(*there, pl.col("verdict") == "lenient").height
        n_found, n_alone = n_found + hit, n_alone + (clear.height == hit)
        honest = report(seed, given.labels, 0.0, given.estimator)
        n_arms += honest.height
        n_blamed += honest.filter(pl.col("verdict") != "").height
        n_without_zero += honest.filter((pl.col("lower") > 0) | (pl.col("upper") < 0)).height
    print(f"lenient arm found in {n_found} of {given.draws} draws, no other in {n_alone}")
    print(f"honest judge: {n_blamed} of {n_arms} arms blamed, {n_without_zero} without zero")


if __name__ == "__main__":
    main()
