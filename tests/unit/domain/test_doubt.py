"""What other calibrations would make of averages."""

import numpy as np
import pytest

from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.domain.factored_arms import interval_by_draws
from accuracy_assay.errors import InputError

MEAN, SUPPORT = np.array([0.5, 0.9, 0.7]), np.array([10.0, 30.0, 60.0])


def doubt_of(shift: object, size: object) -> Doubt:
    return Doubt(np.array(shift, np.float32), np.array(size, np.float32))


def test_calibrations_that_agree_leave_no_doubt() -> None:
    doubt = doubt_of(np.zeros((2, 3)), [SUPPORT, SUPPORT])
    assert doubt.variance(SUPPORT / 100.0, MEAN, SUPPORT) == pytest.approx(0.0, abs=1e-15)
    assert not doubt.arm_variance.any()


def test_an_average_of_the_pool_is_shared_out_by_the_other_sizes() -> None:
    sizes = np.array([[20.0, 30.0, 50.0]])
    doubt = doubt_of([[0.1, 0.0, -0.1]], sizes)
    other = (sizes[0] @ (MEAN + np.array([0.1, 0.0, -0.1]))) / 100.0
    moved = doubt.moved(SUPPORT / 100.0, MEAN, SUPPORT)
    assert moved == pytest.approx(other - SUPPORT @ MEAN / 100.0, abs=1e-7)


def test_a_mix_keeps_its_own_shares_whatever_the_sizes() -> None:
    doubt = doubt_of(np.zeros((1, 3)), [[90.0, 5.0, 5.0]])
    mix = np.array([0.2, 0.3, 0.5])
    assert doubt.moved(mix, MEAN, SUPPORT) == pytest.approx(0.0, abs=1e-12)


def test_shifts_of_draws_have_the_variance_of_the_arm() -> None:
    shift = np.random.default_rng(2).normal(0.0, 0.05, (8, 3))
    doubt = doubt_of(shift, np.tile(SUPPORT, (8, 1)))
    arm = np.array([0.0, 1.0, 0.0])
    # The variance of so many draws is known to 0.3%; four standard errors.
    drawn = doubt.drawn_away(arm, 200_000)
    assert drawn.var() == pytest.approx(doubt.arm_variance[1], rel=0.013)
    assert doubt.variance(arm, MEAN, SUPPORT) == pytest.approx(doubt.arm_variance[1])


def test_an_interval_by_draws_is_stretched_by_the_doubt() -> None:
    rng = np.random.default_rng(3)
    plain = rng.normal(0.7, 0.05, (512, 3))
    doubt = doubt_of(rng.normal(0.0, 0.03, (8, 3)), SUPPORT * rng.uniform(0.5, 1.5, (8, 3)))
    weight = SUPPORT / 100.0
    mean = float(weight @ MEAN)
    moved = plain + doubt.directions(512) @ doubt.shift
    lower, upper, sd = interval_by_draws(plain.astype(np.float32), weight, mean, 0.9)
    variance = doubt.variance(weight, MEAN, SUPPORT)
    found = interval_by_draws(
        moved.astype(np.float32), weight, mean, 0.9, doubt.drawn_away(weight, 512), variance
    )
    stretch = np.sqrt(1.0 + variance / sd**2)
    wanted = (mean - stretch * (mean - lower), mean + stretch * (upper - mean), stretch * sd)
    assert found == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(
    ("shift", "size"),
    [
        (np.zeros((2, 3)), np.zeros((1, 3))),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.full((1, 3), np.nan), np.ones((1, 3))),
        (np.zeros((1, 3)), -np.ones((1, 3))),
    ],
)
def test_what_no_calibration_can_say_is_refused(shift: object, size: object) -> None:
    with pytest.raises(InputError, match="must"):
        doubt_of(shift, size)
