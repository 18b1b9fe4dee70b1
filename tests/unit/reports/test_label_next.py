"""Advice on labels follows the expected gain."""

from dataclasses import replace

import numpy as np
import pytest

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.label_next import label_next


def expected_gain(a: float, b: float, rows: float) -> float:
    """Return what one label takes off the variance of Beta(a, b), by hand, times rows."""

    def variance(a: float, b: float) -> float:
        return a * b / ((a + b) ** 2 * (a + b + 1.0))

    after = a / (a + b) * variance(a + 1, b) + b / (a + b) * variance(a, b + 1)
    return rows * (variance(a, b) - after)


def test_the_order_is_that_of_the_expected_gain_of_beta_posteriors(
    surface: AccuracySurface,
) -> None:
    a, b = np.array([9.0, 4.0, 2.0, 30.0, 1.0, 1.0]), np.array([1.0, 4.0, 6.0, 30.0, 1.0, 1.0])
    mean = a / (a + b)
    sd = np.sqrt(mean * (1 - mean) / (a + b + 1))
    made = replace(surface, mean=mean, sd=sd, lower=np.zeros(6), upper=np.ones(6))
    gain = [expected_gain(*each) for each in zip(a, b, surface.support, strict=True)]
    expected = [i for i in np.argsort(-np.array(gain)) if surface.support[i] > 0.0]
    assert label_next(made).tolist() == expected


@pytest.mark.parametrize("count", [0, 2])
def test_arms_that_are_labelled_through_or_not_in_the_pool_are_left_out(
    surface: AccuracySurface, count: int
) -> None:
    done = replace(surface, n=surface.support, correct=0.5 * surface.support)
    assert label_next(done).size == 0
    assert label_next(surface, count).size == count
    assert 5 not in label_next(surface)
