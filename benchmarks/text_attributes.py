"""Which text attributes explain errors, and whether a surface that has them is better.

On ``whisper_text`` (sentences read by Whisper, scored by word errors) and ``mmlu_pair`` (questions
answered by Mixtral) every feature is derived from the texts of the pool. First, over the whole
pool: the share of the score's variance that a feature explains alone and beside the subject (least
squares on indicators, adjusted for their number). Second, from few labels: surfaces of random
labels without text attributes, with each and with all, fitted to the same draws, and how far off
they are about slices: rows that share one value of an attribute or two, at least 50 of them. The
accuracy of a slice is the mean of its rows' arms; without any attribute it is that of the labels.
"""

import argparse
import itertools
import time
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import accuracy_assay as aa
from accuracy_assay.tasks.registry import load_task

FEATURES = (
    "length",
    "rare_words",
    "question",
    "negation",
    "numerals",
    "quoted_speech",
    "main_topic",
)
LEAST_ROWS = 50
ROW = "number of the row"
BEDS = [
    ("whisper-text", "sentence", []),
    ("mmlu_pair", "prompt", []),
    ("mmlu_pair", "prompt", ["subject"]),
]
"""Task, column of the texts, and the columns that a surface has anyway."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--labels", type=int, nargs="+", default=[300, 1000])
    args = parser.parse_args()
    for name, column, base in BEDS:
        task = load_task(name, args.data)
        started = time.perf_counter()
        rows = aa.add_text_attributes(
            task.rows, column, [name.replace("_", "-") for name in FEATURES]
        )
        seconds = time.perf_counter() - started
        score = rows.get_column(task.score).cast(pl.Float64).to_numpy()
        beside = f" beside {base[0]}" if base else ""
        print(f"\n{name}{beside}: {rows.height} texts, derived in {seconds:.1f} s", flush=True)
        show_shares(rows, base, score)
        print(compare_surfaces(rows, base, score, args.labels, args.draws), flush=True)


def show_shares(rows: pl.DataFrame, base: list[str], score: NDArray[np.float64]) -> None:
    """Print the share of the score's variance that each feature explains, in per cent."""
    before = explained(rows, base, score) if base else 0.0
    print(f"{'feature':16}{'explains %':>11}   values by accuracy")
    for columns in ([name] for name in (*base, *FEATURES)):
        added = explained(rows, [*base, *columns], score) - before
        table = rows.select(*columns, score=pl.Series(score)).group_by(columns)
        means = table.agg(pl.col("score").mean(), pl.len()).sort("score").rows()
        shown = "; ".join(f"{value} {mean:.1%} ({n})" for value, mean, n in means[:9])
        share = before if columns == base else added
        print(f"{columns[0]:16}{100 * share:11.2f}   {shown}")
    every = explained(rows, [*base, *FEATURES], score) - before
    print(f"{'all of them':16}{100 * every:11.2f}")


def explained(rows: pl.DataFrame, columns: list[str], score: NDArray[np.float64]) -> float:
    """Return the adjusted share of variance that indicators of the columns explain."""
    table = rows.select(pl.col(columns).cast(pl.String)).to_dummies(drop_first=True)
    design = np.column_stack([np.ones(rows.height), table.to_numpy().astype(np.float64)])
    fitted, _, rank, _ = np.linalg.lstsq(design, score, rcond=None)
    left = np.sum((score - design @ fitted) ** 2) / (rows.height - rank)
    return float(1.0 - left / np.var(score, ddof=1))


def compare_surfaces(
    rows: pl.DataFrame,
    base: list[str],
    score: NDArray[np.float64],
    labels: list[int],
    draws: int,
) -> str:
    """Return errors about slices without text attributes, with each of them and with all."""
    rows = rows.with_columns(pl.Series("score", score)).with_row_index(ROW)
    slices = find_slices(rows, [*base, *FEATURES])
    choices = {"none": base} | {f: [*base, f] for f in FEATURES} | {"all": [*base, *FEATURES]}
    found = []
    for n, (what, attributes), draw in itertools.product(labels, choices.items(), range(draws)):
        labelled = rows.sample(n, seed=draw)
        started = time.perf_counter()
        predicted = np.full(rows.height, labelled.get_column("score").to_numpy().mean())
        if attributes:
            surface = aa.estimate(labelled, attributes, "score", pool=rows, seed=draw)
            predicted = row_accuracies(rows, surface, attributes)
        seconds = time.perf_counter() - started
        is_new = ~np.isin(np.arange(rows.height), labelled.get_column(ROW).to_numpy())
        left = np.mean((score - predicted)[is_new] ** 2)
        off = [predicted[s].mean() - score[s].mean() for s in slices]
        found.append(
            {
                "labels": n,
                "text attributes": what,
                "rmse": 100.0 * float(np.sqrt(np.mean(np.square(off)))),
                "explained": 100.0 * (1.0 - left / np.var(score[is_new])),
                "seconds": seconds,
                "draw": draw,
            }
        )
    return summarised(pl.DataFrame(found), len(slices))


def find_slices(rows: pl.DataFrame, columns: list[str]) -> list[NDArray[np.int64]]:
    """Return the row numbers of every slice of one value or two with enough rows."""
    numbered = rows.select(columns).with_row_index(ROW)
    found = []
    for size in (1, 2):
        for chosen in itertools.combinations(columns, size):
            groups = numbered.group_by(chosen).agg(ROW).get_column(ROW)
            found += [g.to_numpy() for g in groups if g.len() >= LEAST_ROWS]
    return found


def row_accuracies(
    rows: pl.DataFrame, surface: aa.AccuracySurface, attributes: list[str]
) -> NDArray[np.float64]:
    """Return the accuracy of each row's arm, shape (n,)."""
    texts = pl.col(attributes).cast(pl.String)
    arms = surface.to_frame().select(texts, "mean")
    joined = rows.select(texts).with_row_index(ROW).join(arms, on=attributes, how="left")
    return joined.sort(ROW).get_column("mean").to_numpy()


def summarised(found: pl.DataFrame, n_slices: int) -> str:
    """Return the table: means over draws, and the paired difference to no text attributes."""
    lines = [
        f"{n_slices} slices; root mean squared error in points, and the share of the variance of "
        "scores without a label that the surface explains"
    ]
    lines += [
        f"{'labels':>6} {'text attributes':16}{'error':>8}{'against none':>20}"
        f"{'explained %':>13}{'seconds':>9}"
    ]
    for (n, what), group in found.group_by("labels", "text attributes", maintain_order=True):
        same = pl.col("labels") == n
        none = found.filter(same, pl.col("text attributes") == "none").sort("draw")
        gain = (group.sort("draw")["rmse"] - none["rmse"]).to_numpy()
        spread = gain.std(ddof=1) if gain.size > 1 else np.nan
        lines.append(
            f"{n:6} {what:16}{group['rmse'].mean():8.2f}{gain.mean():12.2f} ± {spread:5.2f}"
            f"{group['explained'].mean():13.2f}{group['seconds'].mean():9.1f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
