"""Isotonic regression is that of scikit-learn, and rises."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from accuracy_assay.numerics.isotonic import isotonic_fit


@pytest.mark.parametrize("seed", range(5))
def test_heights_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=200).round(1)  # with ties
    y = (rng.random(200) < 1.0 / (1.0 + np.exp(-x))).astype(float)
    places, heights = isotonic_fit(x, y)
    oracle = IsotonicRegression(out_of_bounds="clip").fit(x, y)
    np.testing.assert_allclose(heights, oracle.predict(places), atol=1e-12)
    at = np.linspace(-5.0, 5.0, 101)
    np.testing.assert_allclose(np.interp(at, places, heights), oracle.predict(at), atol=1e-12)


def test_heights_rise_and_keep_the_mean() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random(50), rng.random(50)
    places, heights = isotonic_fit(x, y)
    assert (np.diff(places) > 0.0).all()
    assert (np.diff(heights) >= 0.0).all()
    assert heights.mean() == pytest.approx(y.mean())


def test_one_place_has_the_mean() -> None:
    places, heights = isotonic_fit(np.array([2.0, 2.0]), np.array([0.0, 1.0]))
    assert (places.tolist(), heights.tolist()) == ([2.0], [0.5])
