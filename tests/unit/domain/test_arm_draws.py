"""Draws of arms have the surface's means, whether or not the estimator made them."""

import numpy as np
import pytest
from surface_world import make_surface

from accuracy_assay.domain.arm_draws import draws_of


def test_draws_are_those_of_the_surface_around_its_means() -> None:
    surface = make_surface()
    draws = draws_of(surface)
    np.testing.assert_allclose(draws.mean(axis=0), surface.mean)
    known = surface.joint_draws
    assert known is not None
    np.testing.assert_allclose(draws.std(axis=0), known.std(axis=0), rtol=1e-5)


def test_independent_arms_get_draws_of_their_deviations() -> None:
    surface = make_surface(draws=None)
    draws = draws_of(surface)
    np.testing.assert_allclose(draws.mean(axis=0), surface.mean)
    np.testing.assert_allclose(draws.std(axis=0), surface.sd, rtol=0.2)
    np.testing.assert_array_equal(draws, draws_of(surface))


@pytest.mark.parametrize("has_draws", [True, False])
def test_draws_of_some_arms_are_those_of_all(has_draws: bool) -> None:
    surface = make_surface() if has_draws else make_surface(draws=None)
    some = np.array([0, surface.arms.size - 1])
    np.testing.assert_allclose(draws_of(surface, some), draws_of(surface)[:, some], rtol=1e-9)
