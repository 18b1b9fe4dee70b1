"""How correct the rows of guessed arms look."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.study.read.arm_opinions import mean_by_arm


def blurred(arm: np.ndarray, sure: float) -> Affiliation:
    """Return rows of two arms of which the true one has the probability ``sure``."""
    n = arm.size
    weights = np.where(np.arange(2) == arm[:, None], sure, 1.0 - sure)
    return Affiliation(np.arange(0, 2 * n + 1, 2), np.tile([0, 1], n), weights.reshape(-1))


def test_with_known_arms_it_is_the_plain_mean(rng: np.random.Generator) -> None:
    arm, logit = rng.integers(0, 3, 300), rng.normal(1.0, 1.0, 300)
    chance = 1.0 / (1.0 + np.exp(-logit))
    expected = [chance[arm == a].mean() for a in range(3)]
    assert mean_by_arm(Affiliation.exact(arm), logit) == pytest.approx(expected)


def test_arms_that_guesses_blur_are_told_apart_by_what_their_rows_look_like(
    rng: np.random.Generator,
) -> None:
    arm = rng.integers(0, 2, 4000)
    logit = np.where(arm == 0, 2.0, 0.0) + rng.normal(0.0, 0.7, 4000)
    chance = 1.0 / (1.0 + np.exp(-logit))
    truth = np.array([chance[arm == a].mean() for a in (0, 1)])
    guesses = blurred(arm, 0.7)
    plain = [np.average(chance, weights=guesses.weights.reshape(-1, 2)[:, a]) for a in (0, 1)]
    found = mean_by_arm(guesses, logit)
    assert abs(found - truth).max() < 0.5 * abs(np.array(plain) - truth).max()
    assert truth[1] - 0.02 < found[1] < found[0] < truth[0] + 0.02


def test_a_row_that_stands_for_several_counts_as_often(rng: np.random.Generator) -> None:
    arm, logit = rng.integers(0, 2, 60), rng.normal(size=60)
    count = rng.integers(1, 4, 60)
    rows = blurred(arm, 0.8)
    again = np.repeat(np.arange(60), count)
    # The classes of rows are cut by other quantiles, so equal rows must not lie on a cut.
    once = mean_by_arm(rows, np.round(logit), count.astype(float))
    assert once == pytest.approx(mean_by_arm(rows.take(again), np.round(logit)[again]), abs=0.05)
