"""The interval of a weighted sum holds what it says, also where it is skewed or a mixture."""

import numpy as np
import pytest

from accuracy_assay.numerics.intervals.weighted_sum import SumParts, sum_interval


def drawn(parts: list[SumParts], rng: np.random.Generator, count: int = 400_000) -> np.ndarray:
    made = []
    for part in parts:
        n = int(part.weight * count)
        z = rng.standard_normal(n)
        along = part.a[0] * z + part.a[1] * (z**2 - 1) / np.sqrt(2)
        along += part.a[2] * (z**3 - 3 * z) / np.sqrt(6)
        made.append(part.mean + along + np.sqrt(part.rest) * rng.standard_normal(n))
    return np.concatenate(made)


@pytest.mark.parametrize(
    "parts",
    [
        [SumParts(1.0, 0.8, (0.02, 0.0, 0.0), 0.0)],
        [SumParts(1.0, 0.8, (0.02, -0.004, 0.001), 1e-4)],
        [
            SumParts(0.7, 0.8, (0.02, -0.003, 0.0), 1e-5),
            SumParts(0.3, 0.83, (0.05, -0.01, 0.002), 1e-4),
        ],
    ],
)
def test_it_is_that_of_draws(parts: list[SumParts], rng: np.random.Generator) -> None:
    lower, upper, sd = sum_interval(parts, 0.9)
    draws = drawn(parts, rng)
    low, high = np.quantile(draws, [0.05, 0.95])
    width = high - low
    assert lower == pytest.approx(low, abs=0.01 * width)
    assert upper == pytest.approx(high, abs=0.01 * width)
    assert sd == pytest.approx(draws.std(), rel=0.01)


def test_a_known_sum_has_no_width() -> None:
    assert sum_interval([SumParts(1.0, 0.5, (0.0, 0.0, 0.0), 0.0)], 0.9) == (0.5, 0.5, 0.0)
