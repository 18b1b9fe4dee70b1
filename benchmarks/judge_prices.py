"""What plans by price cost, and whether what they buy is as narrow as promised, on ``frank``.

Each automatic metric is the judge of a draw of labels; prices are 1 : 50. Printed: how many plans
cost more than the better of people alone and a fixed mix, what they save against it, how many
estimates from what they buy are within the half-width, and how many of their 90% intervals hold.

    python benchmarks/judge_prices.py --data ../shared/data
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa

PRICES = {"people": 50.0, "judge": 1.0}
_NOT_JUDGES = {"document", "model_name", "dataset", "split", "human_factuality", "label"}


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--labels", type=int, default=150)
    parser.add_argument("--half-width", type=float, default=0.015)
    given = parser.parse_args()
    table = pl.read_parquet(given.data / "frank" / "pool.parquet")
    judges = [n for n in table.columns if n not in _NOT_JUDGES]
    judges = [n for n in judges if table[n].min() >= 0.0 and table[n].max() <= 1.0]
    found = np.array(
        [
            one(table.drop_nulls(judge), judge, given.labels, given.half_width, seed)
            for judge in judges
            for seed in range(given.draws)
        ]
    )
    dearer, saved, is_within, holds, half = found.T
    print(
        f"{len(found)} plans: {dearer.sum():.0f} cost more than the better of people alone and a "
        f"fixed mix; saved {saved.mean():.1%} on average, {saved.max():.1%} at most; "
        f"{is_within.mean():.0%} within the half-width; {holds.mean():.0%} of the 90% intervals "
        f"hold, {half.mean():.4f} to either side"
    )


def one(
    rows: pl.DataFrame, judge: str, labels: int, half_width: float, seed: int
) -> tuple[float, ...]:
    """Return whether a plan is dearer, what it saves, and what its estimate is like.

    Of the estimate: is it within the half-width, does its interval hold, and half of its width.
    """
    order = np.random.default_rng(seed).permutation(rows.height)
    known = np.isin(np.arange(rows.height), order[:labels])
    is_known = pl.when(pl.Series(known))
    pilot = rows.with_columns(
        people=is_known.then("human_factuality"), judge=is_known.then(pl.col(judge))
    )
    plan = aa.plan_by_price(
        pilot,
        ["model_name"],
        "people",
        judges=["judge"],
        prices=PRICES,
        half_width=half_width,
        seed=seed,
    )
    better = min(plan.people_alone, plan.fixed_mix)
    bought = {name: known.copy() for name in ("people", "judged")}
    for name, mask in bought.items():
        mask[plan.rows().filter(name)["row"].to_numpy()] = True
    is_bought = {name: pl.when(pl.Series(mask)) for name, mask in bought.items()}
    found = aa.estimate(
        rows.with_columns(
            people=is_bought["people"].then("human_factuality"),
            judge=is_bought["judged"].then(pl.col(judge)),
        ),
        ["model_name"],
        "people",
        judges=["judge"] if plan.judges else None,
        target="pool",
        seed=seed,
    ).overall
    truth = float(rows["human_factuality"].mean())
    # Each of the nine arms is rounded up to whole rows.
    is_dearer = plan.cost > better + 9 * sum(PRICES.values())
    return (
        float(is_dearer),
        1.0 - plan.cost / better,
        float(abs(found.mean - truth) <= half_width),
        float(found.lower <= truth <= found.upper),
        0.5 * (found.upper - found.lower),
    )


if __name__ == "__main__":
    main()
