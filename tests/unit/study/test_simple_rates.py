"""Simple hypotheses beside a surface: each counts by how likely it makes the labels."""

import numpy as np
import pytest
from scipy.special import beta

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.study.simple_rates import Rates, mix_rates, simple_rates

SPACE = AttributeSpace((Attribute("sex", ("F", "M")),))
STRATA = AttributeSpace((Attribute("side", ("-1", "+1")),))


def observed(strata: AttributeSpace | None, correct: list[float]) -> Observations:
    """Return ten labels in each of the cells, so many of them right."""
    cells = np.arange(len(correct))
    support = Support(SPACE, strata, cells, np.full(len(correct), 50.0))
    return Observations.exact(support, cells, [10.0] * len(correct), correct, correct)


def test_one_rate_is_that_of_all_labels(rng: np.random.Generator) -> None:
    (common,) = simple_rates(observed(None, [9.0, 6.0]), 4000, rng)
    assert common.mean == pytest.approx([15.5 / 21.0] * 2)
    assert common.draws[:, 0].tolist() == common.draws[:, 1].tolist()
    assert common.draws[:, 0].mean() == pytest.approx(15.5 / 21.0, abs=0.01)
    assert common.log_weight == pytest.approx(np.log(beta(15.5, 5.5) / beta(0.5, 0.5)))


def test_each_stratum_has_a_rate_whatever_the_arm(rng: np.random.Generator) -> None:
    common, by_stratum = simple_rates(observed(STRATA, [9.0, 1.0, 8.0, 2.0]), 500, rng)
    assert by_stratum.mean == pytest.approx([17.5 / 21, 3.5 / 21, 17.5 / 21, 3.5 / 21])
    assert common.mean == pytest.approx([0.5] * 4)
    # Strata that differ so much are likelier than one rate.
    assert by_stratum.log_weight > common.log_weight + 3.0


def test_hypotheses_count_by_their_weight(rng: np.random.Generator) -> None:
    low = Rates(np.array([0.2]), np.full((1000, 1), 0.2), np.log(1.0))
    high = Rates(np.array([0.8]), np.full((1000, 1), 0.8), np.log(3.0))
    mean, draws = mix_rates([low, high], rng)
    assert mean == pytest.approx([0.65])
    assert draws.shape == (1000, 1)
    assert draws.mean() == pytest.approx(0.65)


def test_draws_of_hypotheses_come_in_no_order(rng: np.random.Generator) -> None:
    low = Rates(np.array([0.2]), np.full((1000, 1), 0.2), 0.0)
    high = Rates(np.array([0.8]), np.full((1000, 1), 0.8), 0.0)
    draws = mix_rates([low, high], rng)[1]
    assert draws[:500].mean() == pytest.approx(0.5, abs=0.1)
