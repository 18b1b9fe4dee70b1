"""From evidence to factors: powers, floors, hard choices and known codes."""

import numpy as np
import pytest

from accuracy_assay.calibration.factors import (
    evidence_factors,
    log_predictions,
    log_scores,
    predictor_sharpness,
)
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.joint.potential import BARRED


@pytest.fixture
def evidence(world) -> Evidence:
    """Sex is guessed, age is guessed of the second row, native is exact or unknown."""
    age = np.array([[1 / 3, 1 / 3, 1 / 3], [0.7, 0.3, 0.0]])
    return Evidence(world.space, (np.array([[0.9, 0.1], [0.2, 0.8]]), age, np.array([1, -1])))


def test_a_factor_is_the_probability_to_the_power_of_the_sharpness(evidence) -> None:
    sex, _, native = evidence_factors(evidence, [0.5, 1.0, 3.0])
    np.testing.assert_allclose(sex, [[1.0, (0.1 / 0.9) ** 0.5], [0.25**0.5, 1.0]])
    np.testing.assert_array_equal(native, [[0.0, 1.0], [1.0, 1.0]])  # exact, and unknown


def test_no_predictor_rules_a_value_out(evidence) -> None:
    _, age, _ = evidence_factors(evidence, np.ones(3))
    assert age[1, 2] == pytest.approx(1e-6 / 0.7)


def test_hard_factors_are_the_most_probable_values_and_their_ties(evidence) -> None:
    sex, age, _ = evidence_factors(evidence, np.ones(3), is_hard=True)
    np.testing.assert_array_equal(sex, [[1, 0], [0, 1]])
    np.testing.assert_array_equal(age, [[1, 1, 1], [1, 0, 0]])


def test_known_codes_overrule_the_evidence(evidence) -> None:
    known = np.array([[1, -1, -1], [-1, 2, 0]])
    sex, age, native = evidence_factors(evidence, np.ones(3), known=known)
    np.testing.assert_array_equal(sex[0], [0, 1])
    np.testing.assert_array_equal(age[1], [0, 0, 1])
    np.testing.assert_array_equal(native[1], [1, 0])
    with pytest.raises(InputError, match=r"attribute 'age' must lie in 0..2.*got 3"):
        evidence_factors(evidence, np.ones(3), known=np.full((2, 3), [[-1, 3, -1]]))


def test_log_predictions_are_logs_of_the_factors_of_sharpness_one(evidence) -> None:
    factors = evidence_factors(evidence, np.ones(3))
    for scores, finite, factor in zip(
        log_predictions(evidence), log_scores(evidence), factors, strict=True
    ):
        np.testing.assert_allclose(np.exp(scores), factor)
        np.testing.assert_allclose(finite, np.maximum(scores, BARRED))


def test_only_guessed_attributes_are_sharpened(world, rng) -> None:
    seed, gold = world.draw(2_000, rng)
    exact = Evidence(seed.space, (*seed.columns[:2], gold[:, 2]))
    found = predictor_sharpness(exact, gold)
    assert found[2] == 1.0
    assert found[0] < 0.8  # the predictor of sex is overconfident
