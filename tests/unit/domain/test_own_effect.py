"""A slice's own effect is what a spike and a slab on its logit say, worked out on a grid."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, norm

from accuracy_assay.domain.own_effect import with_own_effect
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface

SPACE = AttributeSpace((Attribute("a", ("x", "y")),))
PRIOR_MEAN, PRIOR_SD = 2.0, 0.4
GRID = np.linspace(-6, 8, 20_001)


def posterior(n: int, right: int, sd: float) -> np.ndarray:
    """Return the weights of the grid of logits given labels, under a normal prior."""
    weight = norm.pdf(GRID, PRIOR_MEAN, sd) * binom.pmf(right, n, expit(GRID))
    return np.asarray(weight)


def one_arm(n: int, right: int) -> tuple[AccuracySurface, np.ndarray]:
    """Return a surface whose first arm has an exact posterior, and draws of that arm."""
    weight = posterior(n, right, PRIOR_SD)
    drawn = np.random.default_rng(1).choice(expit(GRID), 20_000, p=weight / weight.sum())
    mean = np.array([drawn.mean(), 0.5])
    surface = AccuracySurface(
        SPACE,
        np.arange(2),
        n=np.array([n, 0.0]),
        correct=np.array([right, 0.0]),
        support=np.array([1e6, 10.0]),
        mean=mean,
        sd=np.array([drawn.std(), 0.1]),
        lower=np.zeros(2),
        upper=np.ones(2),
    )
    return surface, drawn


@pytest.mark.parametrize(("n", "right"), [(40, 20), (40, 35), (12, 3), (100, 60)])
def test_it_is_the_posterior_of_a_spike_and_a_slab(n: int, right: int) -> None:
    surface, drawn = one_arm(n, right)
    spike, slab = posterior(n, right, PRIOR_SD), posterior(n, right, np.hypot(PRIOR_SD, 1.0))
    weight = 0.95 * spike + 0.05 * slab
    exact = float(expit(GRID) @ weight / weight.sum())
    corrected = with_own_effect(surface, np.array([0]), drawn, 0.05)
    before, after = abs(drawn.mean() - exact), abs(corrected.mean() - exact)
    # The exact correction is up to 0.15; the normal approximation is good to a quarter of it.
    assert after <= max(0.25 * before, 0.015)


def test_without_labels_nothing_changes() -> None:
    surface, drawn = one_arm(0, 0)
    np.testing.assert_array_equal(with_own_effect(surface, np.array([0]), drawn, 0.05), drawn)


def test_it_is_the_same_every_time() -> None:
    surface, drawn = one_arm(12, 3)
    first, second = (with_own_effect(surface, np.array([0]), drawn, 0.05) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_labels_that_agree_with_the_surface_leave_its_mean() -> None:
    surface, drawn = one_arm(50, 44)  # the prior's own accuracy is 88 %
    corrected = with_own_effect(surface, np.array([0]), drawn, 0.05)
    assert corrected.mean() == pytest.approx(drawn.mean(), abs=0.005)
    assert corrected.std() >= drawn.std()
