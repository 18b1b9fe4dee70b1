"""What plans by price cost, and whether what they buy is as narrow as promised, on ``frank``.

Each automatic metric is the judge of a draw of labels; prices are 1 : 50. Printed: how many plans
cost more than the better of people alone and a fixed mix, what they save against it, and how many
estimates from what they buy are within the half-width, of which 90% should be.

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
    dearer, saved, is_within = found.T
    print(
        f"{len(found)} plans: {dearer.sum():.0f} cost more than the better of people alone and a "
        f"fixed mix; saved {saved.mean():.1%} on average, {saved.max():.1%} at most; "
        f"{is_within.mean():.0%} within the half-width"
    )


def one(
    rows: pl.DataFrame, judge: str, labels: int, half_width: float, seed: int
) -> tuple[float, float, float]:
    """Return whether a plan is dearer, what it saves, and whether its estimate is within."""
    people, said = rows["human_factuality"].to_numpy(), rows[judge].to_numpy()
    arm = rows["model_name"].rank("dense").to_numpy().astype(int) - 1
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
    estimate = regression(arm, people, said, **bought, is_used=bought["judged"] & ~known)
    # Each of the nine arms is rounded up to whole rows.
    is_dearer = plan.cost > better + 9 * sum(PRICES.values())
    is_within = abs(estimate - people.mean()) <= half_width
    return float(is_dearer), 1.0 - plan.cost / better, float(is_within)


def regression(
    arm: np.ndarray,
    y: np.ndarray,
    x: np.ndarray,
    people: np.ndarray,
    judged: np.ndarray,
    is_used: np.ndarray,
) -> float:
    """Return the regression estimate of the mean of y, with a judge in the arms that bought it."""
    both, n_arms = people & judged, int(arm.max()) + 1
    away = [v[both] - means(v, arm, both, n_arms)[arm[both]] for v in (y, x)]
    slope = (away[1] @ away[0]) / (away[1] @ away[1])
    total = 0.0
    for a in range(n_arms):
        own, asked = people & (arm == a), (judged | people) & (arm == a)
        shift = x[asked].mean() - x[own].mean() if (is_used & (arm == a)).any() else 0.0
        total += (arm == a).mean() * (y[own].mean() + slope * shift)
    return float(total)


def means(values: np.ndarray, arm: np.ndarray, used: np.ndarray, n_arms: int) -> np.ndarray:
    """Return the mean of the used values in each arm."""
    return np.array([values[used & (arm == a)].mean() for a in range(n_arms)])


if __name__ == "__main__":
    main()
