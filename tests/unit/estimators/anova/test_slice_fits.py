"""A slice that stands out has an effect of its own; without one, nothing changes."""

import numpy as np
import pytest
from anova_world import IN_SLICE, WIDE, fit, observe_slice, slice_arms

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations


@pytest.mark.parametrize("is_pool", [True, False])
@pytest.mark.parametrize("is_guessed", [True, False])
def test_a_slice_that_stands_out_has_an_effect_of_its_own(
    rng: np.random.Generator, is_pool: bool, is_guessed: bool
) -> None:
    fitted = fit(observe_slice(rng, is_pool=is_pool, is_guessed=is_guessed))
    assert fitted.details["slice_effects"][0]["slice"] == IN_SLICE
    assert sum(node.weight for node in fitted.nodes) == pytest.approx(1.0)
    assert fitted.moments[0][np.isin(fitted.support.cells, slice_arms())].max() < 0.6
    # An arm of the slice outside the pool moves with it.
    mean, _ = fitted.moments_at(np.array([slice_arms()[-1], 0]))
    assert mean[0] < 0.6 < 0.8 < mean[1]


def test_few_more_labels_keep_theta_and_find_the_slice_again(rng: np.random.Generator) -> None:
    first = fit(observe_slice(rng))
    again = fit(observe_slice(rng), first)
    np.testing.assert_array_equal(again.fitted.theta, first.fitted.theta)
    assert again.details["slice_effects"][0]["slice"] == IN_SLICE


def test_without_a_slice_that_stands_out_there_is_one_fit_for_each_theta(
    rng: np.random.Generator,
) -> None:
    support = Support(WIDE, None, np.arange(36), np.full(36, 200.0))
    arms = rng.integers(0, 36, 600)
    scores = (rng.random(600) < 0.85).astype(float)
    fitted = fit(Observations.exact(support, arms, np.ones(600), scores, scores))
    assert fitted.details["slice_effects"] == []
    thetas = {tuple(node.fitted.theta) for node in fitted.nodes}
    assert len(thetas) == len(fitted.nodes)
