"""Averages of arms with guessed attributes that no factors hold."""

import numpy as np
import pytest

from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.domain.drawn_arms import DrawnArms
from accuracy_assay.domain.factored_arms import interval_by_draws

MEAN, SUPPORT = np.array([0.5, 0.9, 0.7]), np.array([10.0, 30.0, 60.0])


def made_arms(scale: float) -> DrawnArms:
    rng = np.random.default_rng(4)
    draws = rng.normal(MEAN, 0.05, (512, 3)).astype(np.float32)
    shift = scale * rng.normal(0.0, 0.05, (8, 3))
    size = SUPPORT * (1.0 + scale * rng.uniform(-0.4, 0.4, (8, 3)))
    doubt = Doubt(shift.astype(np.float32), size.astype(np.float32))
    moved = draws + doubt.directions(512) @ doubt.shift
    return DrawnArms(MEAN, SUPPORT, moved.astype(np.float32), doubt)


def test_without_disagreement_averages_are_those_of_the_draws() -> None:
    arms, weight = made_arms(0.0), SUPPORT / 100.0
    assert not callable(arms.draws)
    plain = interval_by_draws(arms.draws, weight, float(weight @ MEAN), 0.9)
    assert arms.intervals(weight[None], 0.9)[0] == pytest.approx(plain, abs=1e-7)


@pytest.mark.parametrize("weight", [SUPPORT / 100.0, np.array([0.0, 0.5, 0.5])])
def test_disagreement_widens_every_average(weight: np.ndarray) -> None:
    sure, unsure = (made_arms(scale).intervals(weight[None], 0.9)[0] for scale in (0.0, 1.0))
    assert unsure[0] < sure[0]
    assert unsure[1] > sure[1]
    assert unsure[2] > sure[2]


def test_draws_may_be_made_when_they_are_asked_for() -> None:
    arms, weight = made_arms(1.0), SUPPORT[None] / 100.0
    drawn = arms.draws
    assert not callable(drawn)
    late = DrawnArms(MEAN, SUPPORT, lambda: drawn, arms.doubt)
    assert late.intervals(weight, 0.9) == arms.intervals(weight, 0.9)
    assert late.factored() is None
    assert late.other_overall(0.9) is None
