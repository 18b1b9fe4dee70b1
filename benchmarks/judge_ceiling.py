"""The most that anybody could name of two biased slices, beside what a certificate names.

The worlds are those of ``assay bench judges``: 5 x 4 arms with twenty labels each, a judge that is
30 points lenient in one and 30 points harsh in another. The oracle sees the same labels and knows
everything else: how people and judge go together in an honest, a lenient and a harsh arm, noise
included, and that exactly one arm is of either kind. It knows P(people | judge's verdict) and not
only the differences. What it does not know is which arms. It names those whose posterior
probability is above a bound, at which it names as many honest arms as the certificate does.

Run: python benchmarks/judge_ceiling.py --draws 60
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import polars as pl

import accuracy_assay as aa

_N_ROWS, _LABELS, _PASSED, _BIAS = 6_000, 400, 0.6, 0.3
_SHAPE, _TOLERANCE = (5, 4), 0.1
_HONEST, _LENIENT, _HARSH = range(3)
_ORACLE_DRAWS = 4_000


@dataclass(frozen=True)
class Labels:
    """Labelled rows: arm (m,), and what judge and people say, 0 or 1."""

    arm: np.ndarray
    judge: np.ndarray
    people: np.ndarray


def cells(noise: float) -> np.ndarray:
    """Return P(judge, people) of an honest, a lenient and a harsh arm, (3, 2, 2)."""
    p = np.array([1.0 - _PASSED, _PASSED])
    honest = (1.0 - noise) * np.diag(p) + noise * np.outer(p, p)
    lenient, harsh = honest.copy(), honest.copy()
    for cell, at, share in ((lenient, 0, _BIAS / p[0]), (harsh, 1, _BIAS / p[1])):
        cell[1 - at] += share * honest[at]
        cell[at] *= 1.0 - share
    return np.stack([honest, lenient, harsh])


def world(rng: np.random.Generator, noise: float, rows: int) -> tuple[Labels, int, int]:
    """Return rows, and the arms in which the judge is lenient and harsh."""
    n_arms = int(np.prod(_SHAPE))
    kind = np.zeros(n_arms, dtype=int)
    lenient, harsh = 0, _SHAPE[1] + 1  # the first values of both, and the second ones
    kind[[lenient, harsh]] = _LENIENT, _HARSH
    arm = rng.integers(0, n_arms, rows)
    p = cells(noise).reshape(3, 4).cumsum(axis=1)
    cell = (rng.random(rows)[:, None] > p[kind[arm]]).sum(axis=1).clip(0, 3)
    return Labels(arm, cell // 2, cell % 2), lenient, harsh


def posterior(labels: Labels, noise: float) -> np.ndarray:
    """Return P(an arm is off | labels), (arms,), for one lenient and one harsh arm."""
    n_arms = int(np.prod(_SHAPE))
    given = cells(noise)
    log = np.log(given / given.sum(axis=2, keepdims=True))  # of people, given the judge
    ratio = np.stack(
        [
            np.bincount(labels.arm, each, n_arms)
            for each in log[1:, labels.judge, labels.people] - log[0, labels.judge, labels.people]
        ]
    )
    pairs = ratio[0][:, None] + ratio[1][None]
    np.fill_diagonal(pairs, -np.inf)
    weight = np.exp(pairs - pairs.max())
    weight /= weight.sum()
    return np.asarray(weight.sum(axis=0) + weight.sum(axis=1))


def oracle(rng: np.random.Generator, noise: float, n_false: float) -> tuple[float, float]:
    """Return how often both arms are named, with ``n_false`` honest ones, and as the best two."""
    off, others, best = [], [], []
    for _ in range(_ORACLE_DRAWS):
        labels, lenient, harsh = world(rng, noise, _LABELS)
        found = posterior(labels, noise)
        off.append(found[[lenient, harsh]].min())
        others.append(np.delete(found, [lenient, harsh]))
        best.append(off[-1] > others[-1].max())
    every = np.sort(np.concatenate(others))[::-1]
    bound = every[min(int(n_false * _ORACLE_DRAWS), every.size - 1)]
    return float(np.mean(np.asarray(off) > bound)), float(np.mean(best))


def certified(rng: np.random.Generator, noise: float) -> tuple[bool, int, int]:
    """Return whether a certificate names both arms, and how many honest arms and other slices."""
    rows, lenient, harsh = world(rng, noise, _N_ROWS)
    first, second = (f"v{c}" for c in (0, 1))
    table = pl.DataFrame(
        {
            "a0": [f"v{c}" for c in rows.arm // _SHAPE[1]],
            "a1": [f"v{c}" for c in rows.arm % _SHAPE[1]],
            "judge": rows.judge.astype(float),
            "people": [float(p) if k < _LABELS else None for k, p in enumerate(rows.people)],
        }
    )
    found = aa.certify(table, ["a0", "a1"], "people", judge="judge", tolerance=_TOLERANCE)
    arms = [tuple(each.where.values()) for each in found.refused if len(each.where) == 2]
    bad = {(first, first), (second, second)}
    named = {tuple(map(str, arm)) for arm in arms}
    return named >= bad, len(named - bad), len(found.refused) - len(arms)


def main() -> None:
    """Print how often both are named, by the certificate and by the oracle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=60)
    asked = parser.parse_args()
    for noise in (0.15, 0.5):
        rng = np.random.default_rng([33, int(100 * noise)])
        both, false, others = np.array([certified(rng, noise) for _ in range(asked.draws)]).T
        ceiling, best = oracle(rng, noise, float(false.mean()))
        none = oracle(rng, noise, 0.1)[0]
        print(
            f"noise {noise:.0%}: certificate {both.mean():.1%} of {asked.draws} draws, with "
            f"{false.mean():.2f} honest arms and {others.mean():.2f} values a draw; oracle "
            f"{ceiling:.1%} with as many honest arms, {none:.1%} with 0.1, {best:.1%} as the best two"
        )


if __name__ == "__main__":
    main()
