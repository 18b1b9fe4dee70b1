"""Whether the attributes that matter are found: in made worlds, in flat ones, and on digits.

Made worlds have five attributes of 2 to 8 values whose effects have standard deviations of 0.9,
0.45, 0.2, 0 and 0 logits, dealt to them at random; every other world also has a pair of two
attributes. Printed by number of labels: in how many worlds the strongest attribute comes first,
Kendall's tau between the order of shares and that of effects, how many intervals hold the pool's
own share, and of attributes of no effect how many are called to matter, there and in flat worlds.

On digits the ranking of all attributes is compared with that of their true shares. Then the
corruptions are columns that the surface does not use: rotation, occlusion, noise and
stroke, among 16 columns of nothing, beside the attribute ``digit``. Printed: how often each is
proposed, how often the corruptions that are proposed come first, how many of the columns of
nothing are proposed, and how long it takes.

    python benchmarks/attributes_that_matter.py --worlds 20
"""

import argparse
import time

import numpy as np
import polars as pl
from scipy.special import expit
from scipy.stats import kendalltau

import accuracy_assay as aa
from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.numerics.variance_parts import WeightedDraws
from accuracy_assay.tasks.registry import load_task

SIZES = (2, 3, 4, 6, 8)
EFFECTS = (0.9, 0.45, 0.2, 0.0, 0.0)
PAIR = 0.4
CORRUPTIONS = ("rotation", "occlusion", "noise", "stroke")
NULLS = 16


def make_world(seed: int, n_rows: int, *, is_flat: bool) -> tuple[pl.DataFrame, np.ndarray]:
    """Return the rows of a world and the effects of its attributes, in logits."""
    rng = np.random.default_rng(seed)
    sizes, effects = rng.permutation(SIZES), rng.permutation(EFFECTS) * (not is_flat)
    codes = np.stack([rng.integers(0, size, n_rows) for size in sizes], axis=1)
    eta = np.full(n_rows, 1.2)
    for k, size in enumerate(sizes):
        u = rng.normal(size=size)
        eta += effects[k] * ((u - u.mean()) / u.std())[codes[:, k]]
    if seed % 2 and not is_flat:
        pair = rng.normal(0.0, PAIR, (sizes[0], sizes[1]))
        # Without what either attribute would do alone.
        pair -= pair.mean(axis=0) + pair.mean(axis=1, keepdims=True) - pair.mean()
        eta += pair[codes[:, 0], codes[:, 1]]
    columns = {f"a{k}": codes[:, k] for k in range(len(sizes))}
    return pl.DataFrame({**columns, "right": (rng.random(n_rows) < expit(eta)) * 1}), effects


def true_share(rows: pl.DataFrame, names: list[str], name: str) -> float:
    """Return the share of the variance of the pool's own accuracies that an attribute has."""
    arms = rows.group_by(names).agg(pl.col("right").mean().alias("rate"), pl.len().alias("w"))
    values = rows.group_by(name).agg(pl.col("right").mean().alias("rate"), pl.len().alias("w"))
    overall = rows["right"].mean()
    inside, whole = (
        float((t["w"] * (t["rate"] - overall) ** 2).sum() / rows.height) for t in (values, arms)
    )
    return inside / whole


def both_ends(surface: aa.AccuracySurface, name: str) -> tuple[float, float]:
    """Return the share of an attribute with all of the posterior's noise, and with none."""
    at = np.flatnonzero(surface.support > 0.0)
    weight = surface.support[at] / surface.support[at].sum()
    known = WeightedDraws(weight, surface.mean[at], draws_of(surface)[:, at])
    code = surface.space.codes(surface.arms[at])[:, surface.space.names.index(name)]
    part = known.explained([code])
    drawn = float(np.mean(part.drawn / known.total.drawn))
    return drawn, part.centre / known.total.centre


def made_worlds(n_worlds: int, n_labels: int, n_rows: int, estimator: str) -> None:
    first, tau, held, called, called_flat, n_null, n_flat = [], [], [], 0, 0, 0, 0
    shares = []
    for seed in range(n_worlds):
        for is_flat in (False, True):
            rows, effects = make_world(seed, n_rows, is_flat=is_flat)
            names = rows.columns[:-1]
            surface = aa.estimate(rows[:n_labels], names, "right", pool=rows, estimator=estimator)
            found = {i.name: i for i in surface.attributes().attributes}
            if is_flat:
                n_flat += len(names)
                called_flat += sum(i.is_clear for i in found.values())
                continue
            strongest = names[int(np.argmax(effects))]
            true = true_share(rows, names, strongest)
            shares.append((true, found[strongest].share, *both_ends(surface, strongest)))
            first.append(next(iter(found)) == names[int(np.argmax(effects))])
            tau.append(kendalltau([found[name].share for name in names], effects)[0])
            for name, effect in zip(names, effects, strict=True):
                share = true_share(rows, names, name)
                held.append(found[name].lower <= share <= found[name].upper)
                n_null += effect == 0.0
                called += bool(effect == 0.0 and found[name].is_clear)
    print(
        f"{n_labels:5} labels: strongest first in {sum(first)} of {n_worlds}, tau "
        f"{np.mean(tau):.2f}, intervals hold {np.mean(held):.0%} of shares; called to matter: "
        f"{called} of {n_null} without effect, {called_flat} of {n_flat} in flat worlds"
    )
    print(
        "       mean share of the strongest: true {:.0%}, found {:.0%}; {:.0%} by draws as they "
        "are, {:.0%} by the mean alone".format(*np.mean(shares, axis=0))
    )


def digits_ranking(n_seeds: int, n_labels: int) -> None:
    task = load_task("digits-exact")
    names = list(task.attributes)
    rows = task.rows.select(*names, pl.col("correct").alias("right"))
    gold = [true_share(rows, names, name) for name in names]
    tau, first = [], 0
    for seed in range(n_seeds):
        labelled = rows.sample(n_labels, seed=seed)
        surface = aa.estimate(labelled, task.columns.attributes, "right", pool=rows)
        found = {i.name: i.share for i in surface.attributes().attributes}
        tau.append(kendalltau([found[name] for name in names], gold)[0])
        first += next(iter(found)) == names[int(np.argmax(gold))]
    said = ", ".join(
        f"{n} {g:.1%}" for n, g in sorted(zip(names, gold, strict=True), key=lambda x: -x[1])
    )
    print(
        f"{n_labels:5} labels of digits, true shares {said}: the first of them first in {first} "
        f"of {n_seeds} draws, tau {np.mean(tau):.2f}"
    )


def digits(n_seeds: int, n_labels: int) -> None:
    rows = load_task("digits-exact").rows
    proposed = dict.fromkeys(CORRUPTIONS, 0)
    n_false = n_first = 0
    seconds = []
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        nulls = {
            f"nothing{k}": rng.normal(size=rows.height)
            if k % 4 == 0
            else rng.integers(0, 2 + k, rows.height)
            for k in range(NULLS)
        }
        pool = rows.select("digit", "correct", *CORRUPTIONS).with_columns(
            *(pl.Series(name, values) for name, values in nulls.items())
        )
        labelled = pool[rng.choice(pool.height, n_labels, replace=False).tolist()]
        started = time.perf_counter()
        found = aa.propose_attributes(labelled, ["digit"], "correct", pool=pool, seed=seed)
        seconds.append(time.perf_counter() - started)
        names = [p.column for p in found.proposed]
        n_false += sum(name in nulls for name in names)
        for name in CORRUPTIONS:
            proposed[name] += name in names
        is_null = [name in nulls for name in names]
        n_first += is_null == sorted(is_null)
    said = ", ".join(f"{name} in {count}" for name, count in proposed.items())
    print(
        f"{n_labels:5} labels of digits, {NULLS + len(CORRUPTIONS)} columns: of {n_seeds} draws "
        f"{said} proposed; before all else in {n_first}; {n_false} of {n_seeds * NULLS} columns "
        f"of nothing proposed; {np.median(seconds):.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--estimator", default="anova-gp")
    given = parser.parse_args()
    for n_labels in given.labels:
        made_worlds(given.worlds, n_labels, given.rows, given.estimator)
    for n_labels in given.labels:
        digits_ranking(given.worlds, n_labels)
        digits(given.worlds, n_labels)


if __name__ == "__main__":
    main()
