"""An axis holds what it shows, and no more than it needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.reports.axis import WHOLE, Axis, axis_of


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9))
def test_every_value_lies_on_the_axis_which_has_few_ticks(values: list[float]) -> None:
    axis = axis_of(values)
    assert 0.0 <= axis.low <= min(values) + 1e-9
    assert max(values) - 1e-9 <= axis.high <= 1.0
    assert 2 <= len(axis.ticks) <= 6
    assert (axis.ticks[0], axis.ticks[-1]) == pytest.approx((axis.low, axis.high))
    assert all(0.0 <= axis.at(value) <= 1.0 for value in values)


def test_it_zooms_but_not_to_differences_that_nobody_acts_upon() -> None:
    assert axis_of([0.84, 0.86]).high - axis_of([0.84, 0.86]).low < 0.2
    one = axis_of([0.85])
    assert one.high - one.low >= 0.1 - 1e-9


def test_without_values_it_is_all_that_an_accuracy_can_be() -> None:
    assert axis_of([]) == WHOLE == axis_of([0.0, 1.0])


def test_a_value_beyond_an_end_lies_at_the_end() -> None:
    assert Axis(0.5, 1.0, 0.1).at(0.2) == 0.0
