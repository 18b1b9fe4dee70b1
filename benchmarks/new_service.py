"""A new service on a known pool: what the scores of earlier services are worth, on paired draws.

Some models of mmlu_pro are taken as new, with the models of other families as history. The same
random labels are given to the fit by categories alone, with the mean of the earlier scores as a
plain signal and with `history`; `simulate` then chooses as many labels with `history`. Printed are
the macro error of categories (times 100) and its ratio to that of categories alone, the share of
their 90% intervals that hold, and of the overall accuracy how many times as many random labels
their plain mean would need, by its known variance: for the same squared error, with the standard
error of that number, and for the same width of the interval. The plain mean itself stands below,
to show the luck of the draws: it is 1 in the long run. Beside it stand prediction-powered
inference from the mean,
and item response theory with two parameters: difficulty and discrimination of each item learned
from the history, the new service's ability from its labels, and the labels with the model's rates
of all other items averaged (p-IRT of tinyBenchmarks; Maia Polo et al., 2024).

    python benchmarks/new_service.py --data DIR [--draws 4] [--first 0] [--labels 258]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import accuracy_assay as aa

_FAMILIES = {
    "Llama-2": "llama-2",
    "Llama-3": "llama-3",
    "istral": "mistral",
    "ixtral": "mistral",
    "mathstral": "mistral",
    "gemini": "google",
    "gemma": "google",
    "Qwen": "qwen",
    "Yi": "yi",
    "DeepSeek": "deepseek",
    "Phi": "phi",
    "c4ai": "c4ai",
    "jamba": "jamba",
}
"""A part of a model's name, and its family."""
_MODELS = [0, 2, 3, 5, 6, 9, 10, 13, 15, 16, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28]
"""Two thirds of the models, some of every family."""
_QUANTILE = 1.6449
"""Half of a 90% interval, in standard deviations."""
_ROUNDS = 20
"""Newton steps of item response theory."""


class Found(NamedTuple):
    """One estimate beside the truth; ``plain`` is the variance of the mean of random labels."""

    error: float
    held: float
    whole_error: float
    whole_width: float
    whole_held: float
    plain: float
    seconds: float


def family(model: str) -> str:
    return next(name for part, name in _FAMILIES.items() if part in model)


def judge(made: aa.AccuracySurface, rows: pl.DataFrame, n_labels: int, start: float) -> Found:
    seconds, overall = time.process_time() - start, made.overall
    gold = rows.group_by("category").agg(pl.col("score").mean().alias("gold"))
    table = made.to_frame().join(gold, on="category")
    held = (table["lower"] <= table["gold"]) & (table["gold"] <= table["upper"])
    y = rows["score"].to_numpy()
    truth = float(y.mean())
    return Found(
        100.0 * float(((table["mean"] - table["gold"]) ** 2).to_numpy().mean()),
        float(held.to_numpy().mean()),
        (overall.mean - truth) ** 2,
        overall.upper - overall.lower,
        float(overall.lower <= truth <= overall.upper),
        plain_variance(y, n_labels),
        seconds,
    )


def plain_variance(y: np.ndarray, n_labels: int) -> float:
    """Return the variance of the mean of random labels."""
    return float(y.var() / n_labels * (1.0 - n_labels / y.size))


def predicted_mean(y: np.ndarray, mean: np.ndarray, at: np.ndarray) -> float:
    """Return the overall accuracy by prediction-powered inference from the mean score."""
    slope = np.cov(y[at], mean[at])[0, 1] / mean[at].var(ddof=1)
    return float(y[at].mean() + slope * (mean.mean() - mean[at].mean()))


def item_parameters(scores: np.ndarray) -> np.ndarray:
    """Return level and discrimination of each item, (N, 2), from scores (N, h) of the history.

    A score is right with the log-odds level + discrimination times ability. Abilities are standard
    normal, levels N(0, 4) and discriminations N(1, 1/4); the mode, in turns.
    """
    share = np.clip(scores.mean(axis=0), 0.01, 0.99)
    ability = np.log(share / (1.0 - share))
    ability = (ability - ability.mean()) / ability.std()
    centre, precision = np.array([0.0, 1.0]), np.diag([0.25, 4.0])
    items = np.tile(centre, (scores.shape[0], 1))
    for _ in range(_ROUNDS):
        X = np.column_stack([np.ones(ability.size), ability])
        p = 1.0 / (1.0 + np.exp(-items @ X.T))
        up = (scores - p) @ X - (items - centre) @ precision
        bend = np.einsum("nh,hi,hj->nij", p * (1.0 - p), X, X) + precision
        items = items + np.linalg.solve(bend, up[:, :, None])[:, :, 0]
        p = 1.0 / (1.0 + np.exp(-items @ X.T))
        up = items[:, 1] @ (scores - p) - ability
        ability = ability + up / (items[:, 1] ** 2 @ (p * (1.0 - p)) + 1.0)
    return items


def item_response(y: np.ndarray, items: np.ndarray, at: np.ndarray) -> float:
    """Return the overall accuracy by item response theory."""
    ability, (level, slope) = 0.0, items.T
    for _ in range(_ROUNDS):
        p = 1.0 / (1.0 + np.exp(-level[at] - slope[at] * ability))
        up = slope[at] @ (y[at] - p) - ability
        ability += up / (slope[at] ** 2 @ (p * (1.0 - p)) + 1.0)
    rate = 1.0 / (1.0 + np.exp(-level - slope * ability))
    rate[at] = y[at]
    return float(rate.mean())


def run(data: Path, models: list[int], draws: range, n_labels: int, goals: list[str]) -> None:
    pool = pl.read_parquet(data / "mmlu_pro" / "pool.parquet")
    names = [name for name in pool.columns if name.startswith("pred:")]
    right = (pl.col(n).eq(pl.col("answer")).fill_null(value=False) for n in names)
    pool = pool.select("category", *(each.cast(pl.Float64) for each in right))
    found: dict[str, list[Found]] = defaultdict(list)
    others: dict[str, list[float]] = defaultdict(list)
    for name in (names[k] for k in models):
        history = [other for other in names if family(other) != family(name)]
        rows = pool.rename({name: "score"}).with_columns(mean=pl.mean_horizontal(history))
        y, mean = rows["score"].to_numpy(), rows["mean"].to_numpy()
        items = item_parameters(rows.select(history).to_numpy())
        number, plain, truth = names.index(name), plain_variance(y, n_labels), y.mean()
        for draw in draws:
            at = np.random.default_rng([draw, number]).permutation(y.size)[:n_labels]
            ways = {"categories alone": {}, "mean as a signal": {"signals": ["mean"]}}
            for way, options in {**ways, "history": {"history": history}}.items():
                start = time.process_time()
                made = aa.estimate(rows[at], ["category"], "score", pool=rows, **options)
                found[way].append(judge(made, rows, n_labels, start))
            by_others = {
                "plain mean": float(y[at].mean()),
                "prediction-powered mean": predicted_mean(y, mean, at),
                "item response theory": item_response(y, items, at),
            }
            for way, estimate in by_others.items():
                others[way].append((estimate - truth) ** 2 / plain)
            for goal in goals:
                start = time.process_time()
                made = aa.simulate(
                    *(rows, ["category"], "score"),
                    history=history,
                    goal=goal,
                    seed_size=30,
                    budget=n_labels - 30,
                    batch=38,
                    seed=1_000 * draw + number,  # or all models would have the same seed set
                ).surface
                told = judge(made, rows, n_labels, start)
                found[f"history, chosen for {goal}"].append(told)
    show(found, others)


def show(found: dict[str, list[Found]], others: dict[str, list[float]]) -> None:
    alone = Found(*np.asarray(found["categories alone"]).T).error.mean()
    for way, each in found.items():
        t = Found(*np.asarray(each).T)
        width = (2.0 * _QUANTILE) ** 2 * t.plain / t.whole_width**2
        print(
            f"{way:32} error {t.error.mean():.3f}, ratio {t.error.mean() / alone:.3f}, "
            f"held {t.held.mean():.1%}; overall: sample by error "
            f"{sample(t.whole_error / t.plain)}, by width {width.mean():.2f}, held "
            f"{t.whole_held.mean():.0%}; {t.seconds.mean():.2f} s of {len(each)}"
        )
    for way, errors in others.items():
        print(f"{way}: sample by error {sample(np.asarray(errors))}")


def sample(errors: np.ndarray) -> str:
    """Return how many times the sample squared errors, in units of the plain mean's, are worth."""
    worth = 1.0 / errors.mean()
    return f"{worth:.2f} ({worth * errors.std() / errors.mean() / np.sqrt(errors.size):.2f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--labels", type=int, default=258)
    parser.add_argument("--models", type=int, nargs="+", default=_MODELS)
    parser.add_argument("--goals", nargs="*", default=["surface", "overall"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    draws = range(given.first, given.first + given.draws)
    run(given.data, given.models, draws, given.labels, given.goals)
