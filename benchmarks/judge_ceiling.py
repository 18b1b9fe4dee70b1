"""The most that anybody could name of two biased slices, beside what a certificate names.

The worlds are those of ``assay bench judges``: 5 x 4 arms with twenty labels each, a judge that is
30 points lenient in one and 30 points harsh in another. An oracle sees how judge and people differ
in as many labels. It knows how differences are distributed in an honest arm, noise included, and
in one that is off by 10 to 38 points either way; not which arms are off, nor by how much. One
oracle knows that exactly two are, another only that one in ten is. Either names the arms whose
posterior odds are above a bound, at which it names as many honest arms as the certificate; and
then those that a mean doubt of 5% allows, the rule by which a certificate refuses.

    python benchmarks/judge_ceiling.py --draws 100
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

import accuracy_assay as aa

N_ROWS, N_LABELS, PASSED, BIAS, TOLERANCE = 6_000, 400, 0.6, 0.3, 0.1
SHAPE = (5, 4)
N_ARMS = SHAPE[0] * SHAPE[1]
LENIENT, HARSH = 0, SHAPE[1] + 1  # the first values of both attributes, and the second ones
SIZES = [side * size for size in np.arange(0.10, 0.39, 0.04) for side in (1.0, -1.0)]
ORACLE_DRAWS = 3_000
DOUBT = 0.05


class Labels(NamedTuple):
    """Rows: arm (m,), and what judge and people say, 0 or 1."""

    arm: np.ndarray
    judge: np.ndarray
    people: np.ndarray


def together(noise: float, bias: float) -> np.ndarray:
    """Return P(judge, people) in an arm, (2, 2): flipped verdicts make the judge biased."""
    p = np.array([1.0 - PASSED, PASSED])
    honest = (1.0 - noise) * np.diag(p) + noise * np.outer(p, p)
    found, at = honest.copy(), int(bias < 0.0)
    share = abs(bias) / p[at]
    found[1 - at] += share * honest[at]
    found[at] *= 1.0 - share
    return found


def of_difference(noise: float, bias: float) -> np.ndarray:
    """Return P(judge - people), laid out like `together`: agreeing on either is one thing."""
    found = together(noise, bias)
    found[[0, 1], [0, 1]] = found.trace()
    return found


def world(rng: np.random.Generator, noise: float, n_rows: int) -> Labels:
    arm = rng.integers(0, N_ARMS, n_rows)
    bias = np.zeros(N_ARMS)
    bias[[LENIENT, HARSH]] = BIAS, -BIAS
    below = np.stack([together(noise, each).ravel().cumsum() for each in bias])[arm]
    cell = (rng.random(n_rows)[:, None] > below).sum(axis=1).clip(0, 3)
    return Labels(arm, cell // 2, cell % 2)


def log_odds(labels: Labels, noise: float) -> np.ndarray:
    """Return the log Bayes factor of each arm being off, (A,)."""
    honest = np.log(of_difference(noise, 0.0))
    ratios = [np.log(of_difference(noise, size)) - honest for size in SIZES]
    sums = [np.bincount(labels.arm, r[labels.judge, labels.people], N_ARMS) for r in ratios]
    return np.logaddexp.reduce(sums, axis=0) - np.log(len(SIZES))


def if_two_are_off(odds: np.ndarray) -> np.ndarray:
    weight = np.exp(odds - odds.max())
    pairs = np.outer(weight, weight)
    np.fill_diagonal(pairs, 0.0)
    return np.asarray(2.0 * pairs.sum(axis=0) / pairs.sum())


def if_one_in_ten_is(odds: np.ndarray) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + 9.0 * np.exp(-odds)))


def oracle(
    noise: float, n_false: float, posterior: Callable[[np.ndarray], np.ndarray]
) -> tuple[float, float]:
    """Return how often both are named: with ``n_false`` honest arms a draw, and by mean doubt."""
    rng = np.random.default_rng(0)
    found = [posterior(log_odds(world(rng, noise, N_LABELS), noise)) for _ in range(ORACLE_DRAWS)]
    least = np.array([each[[LENIENT, HARSH]].min() for each in found])
    honest = np.sort(np.delete(found, [LENIENT, HARSH], axis=1).ravel())[::-1]
    named = [{LENIENT, HARSH} <= least_doubtful(1.0 - each) for each in found]
    bound = honest[round(n_false * ORACLE_DRAWS)]
    return float((least > bound).mean()), float(np.mean(named))


def least_doubtful(doubt: np.ndarray) -> set[int]:
    order = np.argsort(doubt)
    mean = np.cumsum(doubt[order]) / np.arange(1, doubt.size + 1)
    passed = np.flatnonzero((mean <= DOUBT) & (doubt[order] <= 2.0 * DOUBT))
    return set(order[: passed[-1] + 1].tolist()) if passed.size else set()


def certified(rng: np.random.Generator, noise: float) -> tuple[bool, int]:
    """Return whether a certificate names both arms, and how many honest ones."""
    rows = world(rng, noise, N_ROWS)
    table = pl.DataFrame(
        {
            "row": [f"v{k}" for k in rows.arm // SHAPE[1]],
            "column": [f"v{k}" for k in rows.arm % SHAPE[1]],
            "judge": rows.judge.astype(float),
            "people": pl.Series(rows.people[:N_LABELS].astype(float)).extend_constant(
                None, N_ROWS - N_LABELS
            ),
        }
    )
    found = aa.certify(table, ["row", "column"], "people", judge="judge", tolerance=TOLERANCE)
    arms = {tuple(each.where.values()) for each in found.refused if len(each.where) == 2}
    bad = {("v0", "v0"), ("v1", "v1")}
    return arms >= bad, len(arms - bad)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=33)
    given = parser.parse_args()
    for noise in (0.15, 0.5):
        rng = np.random.default_rng([given.seed, round(100 * noise)])
        named, n_honest = np.mean([certified(rng, noise) for _ in range(given.draws)], axis=0)
        print(f"noise {noise:.0%}: the certificate {named:.0%}, {n_honest:.2f} honest arms a draw")
        for knows, posterior in (
            ("exactly two are off", if_two_are_off),
            ("one in ten is", if_one_in_ten_is),
        ):
            same, by_doubt = oracle(noise, float(n_honest), posterior)
            print(f"  who knows that {knows}: {same:.0%} at as many, {by_doubt:.0%} by mean doubt")


if __name__ == "__main__":
    main()
