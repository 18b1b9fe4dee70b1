"""Temperature scaling: one T per attribute, which divides."""

import warnings

import numpy as np
import pytest

from accuracy_assay.calibration.factors import predictor_sharpness
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace


def test_an_overconfident_predictor_gets_the_temperature_that_makes_it_right() -> None:
    # 0.9 is stated where 0.75 is true: log 9 / log 3 = 2.
    space = AttributeSpace((Attribute("sex", ("f", "m")),))
    gold = (np.arange(8_000) % 4 // 3)[:, None]
    seed = Evidence(space, (np.tile([0.9, 0.1], (8_000, 1)),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        fitted = Temperature().fit(seed, gold, seed, np.random.default_rng(0))
    assert fitted.temperatures[0] == pytest.approx(2.0, rel=0.01)
    assert fitted.report.details["temperatures"]["sex"] == pytest.approx(2.0, rel=0.1)
    rows = fitted.affiliation(seed.take(slice(0, 1)))
    np.testing.assert_allclose(rows.weights, [0.75, 0.25], atol=0.005)


def test_attributes_stay_independent(world, rng) -> None:
    seed, gold = world.draw(300, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        fitted = Temperature().fit(seed, gold, seed, rng)
    few = seed.take(slice(0, 20))
    rows, tables = fitted.affiliation(few, max_dropped=0.0), fitted.marginals(few).tables
    codes = world.space.codes(rows.indices)
    product = np.prod([tables[k][rows.row_index, codes[:, k]] for k in range(3)], axis=0)
    np.testing.assert_allclose(rows.weights, product)


def test_the_report_is_held_out_and_the_fit_uses_every_row(world, rng) -> None:
    seed, gold = world.draw(200, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        fitted = Temperature(held_out_share=0.5).fit(seed, gold, seed, rng)
    assert fitted.report.n_held_out == 100
    np.testing.assert_array_equal(fitted.sharpness, predictor_sharpness(seed, gold))
