"""What many signals cost and give: errors and processor time against each of them alone.

A made world has 300 arms and ten judges: five that know the arms more or less well, two more that
know something of the rows, three that only make noise. With ``--data`` the metrics of ``frank``
and the signals of ``am3g``, with noise up to ten, are measured too. Labels are random; every draw
is fitted without a signal, with each signal alone and with all. Bars: all of them take at most
three times the time of one, and their error is at most 2 % above that of the best, which only
hindsight knows.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.domain.referees import REFEREES, with_referees
from accuracy_assay.tasks.registry import load_task

Bed = tuple[pl.DataFrame, list[str], str, list[str]]
N_SIGNALS = 10


def main() -> None:
    """Print one line per bed: errors and seconds of none, the best and all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--data", type=Path)
    args = parser.parse_args()
    beds = {("made", 300): made_world(0), ("made again", 300): made_world(1)}
    if args.data is not None:
        beds |= {("frank", 150): frank(args.data), ("am3g", 100): spoken_digits(args.data)}
    print(f"{'bed':12}{'labels':>7}{'none':>9}{'best':>9}{'all':>9}{'seconds: one':>14}{'all':>7}")
    for (name, labels), bed in beds.items():
        rows, attributes, score, signals = bed
        gold = rows.group_by(attributes).agg(pl.col(score).mean().alias("gold"), pl.len())
        choices = [[], *([signal] for signal in signals), signals]
        errors, seconds = np.zeros((2, args.draws, len(choices)))
        for draw in range(-1, args.draws):  # the first compiles; the last takes its place
            labelled = rows.sample(labels, seed=max(draw, 0))
            for k, chosen in enumerate(choices):
                started = time.process_time()
                surface = aa.estimate(labelled, attributes, score, pool=rows, signals=chosen)
                seconds[draw, k] = time.process_time() - started
                errors[draw, k] = error(surface, gold, attributes)
        mean = errors.mean(axis=0)
        one, every = np.median(seconds[:, 1:-1]), np.median(seconds[:, -1])
        figures = f"{mean[0]:9.3f}{mean[1:-1].min():9.3f}{mean[-1]:9.3f}{one:14.2f}{every:7.2f}"
        print(f"{name:12}{labels:7}{figures}", flush=True)


def error(surface: aa.AccuracySurface, gold: pl.DataFrame, attributes: list[str]) -> float:
    """Return the macro MSE x 100 over arms of at least five rows."""
    both = surface.to_frame().join(gold.filter(pl.col("len") >= 5), on=attributes)
    return 100.0 * float(((both["mean"] - both["gold"]) ** 2).to_numpy().mean())


def made_world(seed: int) -> Bed:
    """Return 20,000 rows of 300 arms, and ten judges."""
    rng = np.random.default_rng(seed)
    n, shape = 20_000, (12, 25)
    a, b = (rng.integers(0, size, n) for size in shape)
    logit = rng.normal(0.0, 0.5, shape[0])[:, None] + rng.normal(0.0, 0.7, shape[1])
    effect = (logit + rng.normal(0.0, 0.7, shape))[a, b]
    right = rng.random(n) < 1.0 / (1.0 + np.exp(-0.8 - effect))
    knows_arms = np.where(np.arange(N_SIGNALS) < 5, rng.uniform(0.2, 1.2, N_SIGNALS), 0.0)
    knows_rows = np.where(np.arange(N_SIGNALS) < 7, rng.uniform(0.0, 2.5, N_SIGNALS), 0.0)
    judges = {
        f"judge_{k}": of_arm * effect + of_row * (right - 0.5) + rng.normal(0.0, 1.5, n)
        for k, (of_arm, of_row) in enumerate(zip(knows_arms, knows_rows, strict=True))
    }
    columns = {"a": a.astype(str), "b": b.astype(str), "right": right.astype(float)}
    return pl.DataFrame(columns | judges), ["a", "b"], "right", list(judges)


def frank(data: Path) -> Bed:
    """Return the summaries with all their metrics."""
    task = load_task("frank", data)
    kept = {task.id, task.score}
    metrics = [name for name, kind in task.rows.schema.items() if kind.is_float()]
    metrics = [name for name in metrics if name not in kept]
    filled = [pl.col(name).fill_nan(None).fill_null(pl.col(name).median()) for name in metrics]
    return task.rows.with_columns(filled), list(task.attributes), task.score, metrics


def spoken_digits(data: Path) -> Bed:
    """Return Google's answers with its prediction, its confidence, its referees, and noise."""
    task = load_task("am3g", data)
    (rows,) = with_referees([task.rows], task.y_pred, task.referees)
    signals = [str(task.y_pred), *task.signals, REFEREES]
    rng = np.random.default_rng(0)
    noise = {f"noise_{k}": rng.normal(size=rows.height) for k in range(N_SIGNALS - len(signals))}
    rows = rows.with_columns(**{name: pl.Series(values) for name, values in noise.items()})
    rows = rows.with_columns(pl.col(list(task.attributes)).cast(pl.String))
    return rows, list(task.attributes), task.score, [*signals, *noise]


if __name__ == "__main__":
    main()
