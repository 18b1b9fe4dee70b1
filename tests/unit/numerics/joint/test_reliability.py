"""Reliability bins, worked out by hand."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint.reliability import reliability


def test_bins_and_error_of_a_worked_example() -> None:
    confidence = np.array([0.55, 0.55, 0.95, 1.0])
    found = reliability(confidence, np.array([True, False, True, True]))
    assert found.n_rows == (2, 2)
    np.testing.assert_allclose(found.confidence, [0.55, 0.975])
    np.testing.assert_allclose(found.accuracy, [0.5, 1.0])
    assert found.ece == pytest.approx(0.5 * 0.05 + 0.5 * 0.025)


def test_no_rows_have_no_error() -> None:
    assert reliability(np.empty(0), np.empty(0, bool)).ece == 0.0
