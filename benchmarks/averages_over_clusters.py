"""How often intervals hold the rate over the clusters that there may be, of which few are seen.

    python benchmarks/averages_over_clusters.py --draws 40 --clusters 200 --rows 4 --deviation 1.5
    python benchmarks/averages_over_clusters.py --draws 40 --clusters 30 --rows 10 --across

Rows of four arms, whose effects have a deviation of 0.5 on the logit, are labelled in clusters of
another deviation; the truth is the mean over that distribution. Beside the estimator stand its
interval if clusters are ignored, pass@1 where a cluster lies in one arm, the clustered standard
error with t quantiles, and the bootstrap of clusters. Widths are in points.
"""

import argparse

import numpy as np
import polars as pl
from scipy.stats import t as student

import accuracy_assay as aa
from accuracy_assay.numerics.quadrature import average_sigmoid

ARMS, SPREAD, LEVEL = 4, 0.5, 0.9
Interval = tuple[float, float]


def made_rows(args: argparse.Namespace, rng: np.random.Generator) -> tuple[pl.DataFrame, float]:
    """Return labelled rows, and the rate over clusters for their mix of arms."""
    arm_logit = rng.normal(1.0, 0.5) + rng.normal(0.0, SPREAD, ARMS)
    effect = rng.normal(0.0, args.deviation, args.clusters)
    even = np.full(args.clusters, args.rows)
    size = rng.integers(1, 2 * args.rows, args.clusters) if args.uneven else even
    item = np.repeat(np.arange(args.clusters), size)
    arm = rng.integers(ARMS, size=item.size if args.across else args.clusters)
    arm = arm if args.across else arm[item]
    chance = 1.0 / (1.0 + np.exp(-(arm_logit[arm] + effect[item])))
    right = (rng.random(item.size) < chance).astype(float)
    rows = pl.DataFrame({"arm": [f"v{k}" for k in arm], "item": item, "right": right})
    return rows, float(average_sigmoid(arm_logit, args.deviation**2)[arm].mean())


def by_design(rows: pl.DataFrame, rng: np.random.Generator) -> dict[str, Interval]:
    """Return the intervals of the clustered standard error and of the bootstrap."""
    right, item = rows["right"].to_numpy(), rows["item"].to_numpy()
    n, mean = int(item.max()) + 1, float(right.mean())
    size, total = np.bincount(item).astype(float), np.bincount(item, weights=right)
    error = np.sqrt(n / (n - 1) * ((total - mean * size) ** 2).sum()) / item.size
    reach = float(student.ppf(0.5 + LEVEL / 2.0, n - 1) * error)
    drawn = rng.integers(n, size=(1_000, n))
    ends = np.quantile(total[drawn].sum(1) / size[drawn].sum(1), [0.05, 0.95])
    found = {"standard error": (mean - reach, mean + reach)}
    return found | {"bootstrap": (float(ends[0]), float(ends[1]))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--clusters", type=int, default=60)
    parser.add_argument("--rows", type=int, default=4, help="rows of a cluster")
    parser.add_argument("--deviation", type=float, default=1.5)
    parser.add_argument("--across", action="store_true", help="clusters cross arms")
    parser.add_argument("--uneven", action="store_true", help="clusters of 1 to 2 ROWS - 1 rows")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    held: dict[str, list[tuple[bool, float]]] = {}
    for draw in range(args.draws):
        rng = np.random.default_rng([args.seed, draw])
        rows, truth = made_rows(args, rng)
        asked = {"clusters": {"cluster": "item"}, "clusters ignored": {}}
        if not args.across:
            asked["pass@1"] = {"cluster": "item", "measure": "pass@1"}
        found = by_design(rows, rng)
        for name, how in asked.items():
            overall = aa.estimate(rows, ["arm"], "right", **how).overall
            found[name] = (overall.lower, overall.upper)
        for name, (low, high) in found.items():
            held.setdefault(name, []).append((low <= truth <= high, 100.0 * (high - low)))
    for name, each in held.items():
        share, width = np.mean(each, axis=0)
        print(f"{name:16} held {share:4.0%}, {width:4.1f} points wide")


if __name__ == "__main__":
    main()
