"""Guarded steps: never past the limit, and the largest of those that lead equally high."""

import numpy as np
import pytest

from accuracy_assay.numerics.gp.newton import LARGEST_STEP, STEP_SIZES, step_size

ZERO = np.zeros(2)


def hill(top: float):
    """Return a height whose only summit along (1, 1) is at ``top``."""
    return lambda f, a: -((float(f[0]) - top) ** 2)


def test_the_whole_step_is_taken_where_it_leads_highest() -> None:
    assert step_size(hill(1.0), ZERO, ZERO, np.ones(2), np.ones(2)) == 1.0


@pytest.mark.parametrize("size", STEP_SIZES[1:])
def test_a_step_past_the_summit_is_shortened(size: float) -> None:
    assert step_size(hill(size), ZERO, ZERO, np.ones(2), np.ones(2)) == size


def test_no_logit_moves_by_more_than_the_limit() -> None:
    size = step_size(hill(1e6), ZERO, ZERO, np.full(2, 1e3), np.ones(2))
    assert size * 1e3 == pytest.approx(LARGEST_STEP)


def test_of_equal_heights_the_largest_step_wins() -> None:
    assert step_size(lambda f, a: 3.0, ZERO, ZERO, ZERO, ZERO) == 1.0
