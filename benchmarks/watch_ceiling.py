"""How much of a loss could be found: a watch with what it cannot know given away, thing by thing.

One slice of a seventh of the rows, as in `assay bench over-time`: 1,000 labels before, 3,000
after, looked at 20 times; half way it loses a share of its right answers. Counted is how often its
evidence reaches the bar of a slice with its weight there, 0.05 of 5%, and the bar if no other
slice were watched. Beside it stand tests without a guarantee: the largest difference of all
stretches between two looks, with its standard error if both had one rate, and that of the true
stretch alone, each beyond a bar that the same share of draws passes where exactly the tolerated
loss came, from the same accuracy and after as many looks.

    python benchmarks/watch_ceiling.py [--draws 300]
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np

from accuracy_assay.numerics.watching import evidence
from accuracy_assay.numerics.watching.bets import unstarted

SHARE, BEFORE, AFTER, LOOKS, TOLERANCE = 1 / 7, 1000, 3000, 20, 0.02
WEIGHT, FALSE_ALARM, SCALE = 0.05, 0.05, 1000.0
NULL_DRAWS = 200_000
LEVELS = np.array([0.0, 1.0])
Counts = tuple[np.ndarray, np.ndarray]


def draw(rng: np.random.Generator, rate: float, lost: float) -> Counts:
    """Return right and wrong answers of the slice: of the baseline, (2,), and by look, (T, 2)."""
    n_before = rng.binomial(BEFORE, SHARE)
    n_after = rng.binomial(AFTER // LOOKS, SHARE, LOOKS)
    now = np.where(np.arange(LOOKS) < LOOKS // 2, rate, rate * (1.0 - lost))
    right = np.append(rng.binomial(n_before, rate), rng.binomial(n_after, now))
    counts = np.stack([np.append(n_before, n_after) - right, right], axis=1).astype(float)
    return counts[0], counts[1:]


def reaches(draws: list[Counts], started: np.ndarray, angle: float | None) -> tuple[float, float]:
    """Return how often the evidence reaches the slice's bar, and the bar of one slice alone."""
    kept = evidence._LOSSES, evidence._SHARES
    if angle is not None:
        evidence._LOSSES, evidence._SHARES = np.array([angle]), np.ones(1)
    most = [evidence.log_evidence(*of, LEVELS, started, TOLERANCE).max() for of in draws]
    evidence._LOSSES, evidence._SHARES = kept
    bars = -np.log([WEIGHT * FALSE_ALARM, FALSE_ALARM])
    return tuple(float(np.mean(np.array(most) >= bar)) for bar in bars)


def tested(rng: np.random.Generator, rate: float, lost: float, pairs: list) -> float:
    """Return how often the largest difference of some stretches passes its calibrated bar."""
    null, drawn = (
        _largest(rng, rate, now, rate - later, pairs)
        for now, later in ((TOLERANCE, TOLERANCE), (0.0, lost * rate))
    )
    return float(np.mean(drawn > np.quantile(null, 1.0 - WEIGHT * FALSE_ALARM)))


def _largest(
    rng: np.random.Generator, rate: float, fall: float, later: float, pairs: list
) -> np.ndarray:
    """Return the largest difference beyond the tolerance, in standard errors, of many draws."""
    is_late = np.arange(LOOKS) >= LOOKS // 2
    truth = np.where(is_late, later, rate - fall)
    n_before, n_look = BEFORE * SHARE, AFTER * SHARE / LOOKS
    spread = rate * (1.0 - rate)
    before = rate + rng.normal(size=NULL_DRAWS) * np.sqrt(spread / n_before)
    noise = rng.normal(size=(NULL_DRAWS, LOOKS))
    looks = truth + noise * np.sqrt(truth * (1.0 - truth) / n_look)
    total = np.concatenate([np.zeros((NULL_DRAWS, 1)), np.cumsum(looks, axis=1)], axis=1)
    most = np.full(NULL_DRAWS, -np.inf)
    for begin, end in pairs:
        n = (end - begin) * n_look
        now = (total[:, end] - total[:, begin]) / (end - begin)
        # What both would be without a loss.
        both = np.clip((n_before * before + n * now) / (n_before + n), 0.001, 0.999)
        error = np.sqrt(both * (1.0 - both) * (1.0 / n_before + 1.0 / n))
        most = np.maximum(most, (before - now - TOLERANCE) / error)
    return most


def main() -> None:
    """Print a line per world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=300)
    n_draws = parser.parse_args().draws
    left = unstarted(np.arange(LOOKS + 1) * AFTER / LOOKS, SCALE)
    usual, known = left[:-1] - left[1:], np.full(LOOKS, 1e-4)
    known[LOOKS // 2] = 0.99
    every = list(combinations(range(LOOKS + 1), 2))
    for rate, lost in ((0.6, 1 / 3), (0.6, 1 / 2), (0.7, 1 / 3), (0.8, 1 / 3), (0.9, 1 / 3)):
        rng = np.random.default_rng(0)
        draws = [draw(rng, rate, lost) for _ in range(n_draws)]
        angle = np.arcsin(np.sqrt(rate)) - np.arcsin(np.sqrt(rate * (1.0 - lost)))
        found = {
            "as it is": reaches(draws, usual, None),
            "its time known": reaches(draws, known, None),
            "its size known": reaches(draws, usual, angle),
            "both known": reaches(draws, known, angle),
        }
        print(f"accuracy {rate}, {lost:.0%} lost:")
        for name, (one_of_many, alone) in found.items():
            print(f"  {name:<16}{one_of_many:>6.0%}   the only slice {alone:>5.0%}")
        for name, pairs in (("every stretch", every), ("the true one", [(LOOKS // 2, LOOKS)])):
            print(f"  {name + ' tested':<20}{tested(rng, rate, lost, pairs):>4.0%}, no guarantee")


if __name__ == "__main__":
    main()
