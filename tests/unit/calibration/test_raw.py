"""No calibration: hard choices, and a report of what the predictors said."""

import warnings

import numpy as np
import pytest

from accuracy_assay.calibration.raw import Raw, uncalibrated
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.domain.evidence import Evidence


def test_it_takes_the_most_probable_values_and_shares_ties(world) -> None:
    columns = (np.array([[0.9, 0.1]]), np.full((1, 3), 1 / 3), np.array([1]))
    rows = uncalibrated(world.space).affiliation(Evidence(world.space, columns))
    codes = world.space.codes(rows.indices)
    np.testing.assert_array_equal(codes[:, [0, 2]], [[0, 1]] * 3)
    np.testing.assert_allclose(rows.weights, 1 / 3)


def test_the_seed_set_changes_the_report_and_not_the_rows(world, rng) -> None:
    seed, gold = world.draw(200, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        fitted = Raw().fit(seed, gold, seed, rng)
    plain = uncalibrated(world.space)
    np.testing.assert_array_equal(
        fitted.affiliation(seed).indices, plain.affiliation(seed).indices
    )
    assert (fitted.report.n_held_out, plain.report.n_held_out) == (40, 0)
    # The figures are those of the predictors' own probabilities, before and after.
    for quality in (*fitted.report.attributes, fitted.report.joint):
        assert quality.log_loss_before == quality.log_loss_after
    np.testing.assert_array_equal(fitted.temperatures, 1.0)


def test_whoever_wanted_more_is_told(world) -> None:
    with pytest.warns(CalibrationWarning, match="'full' must have a seed set"):
        fitted = uncalibrated(world.space, wanted="full")
    assert "Fell back to 'raw'" in fitted.report.notes[0]
