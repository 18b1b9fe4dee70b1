import numpy as np
import pytest
from scipy.stats import binomtest

from assay_bench.wilson import wilson


@pytest.mark.parametrize(("correct", "n"), [(0, 10), (10, 10), (7, 24), (389, 400)])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_it_is_scipys(correct: int, n: int, level: float) -> None:
    theirs = binomtest(correct, n).proportion_ci(level, method="wilson")
    assert wilson(correct / n, n, level) == pytest.approx((theirs.low, theirs.high))


def test_without_a_label_nothing_is_known() -> None:
    lower, upper = wilson(np.array([0.7, 0.7]), np.array([0.0, 5.0]))
    assert (lower[0], upper[0]) == (0.0, 1.0)
    assert 0.0 < lower[1] < 0.7 < upper[1] < 1.0
