"""Aims: what half-width they measure, and what they refuse."""

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.metrics.aim import Aim

SPACE = AttributeSpace((Attribute("a", ("x", "y")), Attribute("b", ("u", "v"))))
SURFACE = AccuracySurface(
    SPACE,
    np.arange(4),
    n=np.zeros(4),
    correct=np.zeros(4),
    support=np.array([100.0, 50.0, 50.0, 4.0]),
    mean=np.array([0.9, 0.5, 0.7, 0.1]),
    sd=np.full(4, 0.1),
    lower=np.array([0.85, 0.35, 0.4, 0.0]),
    upper=np.array([0.95, 0.65, 0.9, 1.0]),
)


def test_worst_is_the_arm_with_the_lowest_mean_among_those_with_rows_enough() -> None:
    assert Aim(0.05, "worst").measure(SURFACE) == pytest.approx(0.15)


def test_every_arm_is_as_wide_as_the_widest() -> None:
    assert Aim(0.05, "every-arm").measure(SURFACE) == pytest.approx(0.25)


def test_overall_and_slices_are_measured_as_the_surface_gives_them() -> None:
    overall, part = SURFACE.overall, SURFACE.at(a="x")
    assert Aim(0.05).measure(SURFACE) == (overall.upper - overall.lower) / 2.0
    aim = Aim(0.05, "slice", {"a": "x"})
    assert aim.measure(SURFACE) == (part.upper - part.lower) / 2.0
    assert aim.arms(SURFACE).tolist() == [0, 1]


def test_weights_of_averages_sum_to_one_and_arms_stand_alone() -> None:
    assert Aim(0.05).weights(SURFACE).sum() == pytest.approx(1.0)
    assert Aim(0.05, "slice", {"a": "x"}).weights(SURFACE)[0] == pytest.approx(
        [2 / 3, 1 / 3, 0, 0]
    )
    every = Aim(0.05, "every-arm").weights(SURFACE)
    assert every.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize("half_width", [0.0, 0.5, -1.0, float("nan")])
def test_a_half_width_lies_between_nothing_and_everything(half_width: float) -> None:
    with pytest.raises(InputError, match=r"half_width must lie between 0 and 0\.5"):
        Aim(half_width)


def test_a_slice_has_values_and_nothing_else_has() -> None:
    with pytest.raises(InputError, match="for a slice"):
        Aim(0.05, "slice")
    with pytest.raises(InputError, match="for a slice"):
        Aim(0.05, "overall", {"a": "x"})
    with pytest.raises(UnknownNameError, match="every-arm"):
        Aim(0.05, "best")  # type: ignore[arg-type]
