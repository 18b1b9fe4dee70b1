"""Evidence for effects in closed form is that of the dense normal model."""

from itertools import chain, combinations

import numpy as np
import pytest
from latent_gp import some_kernel
from scipy.stats import multivariate_normal

from accuracy_assay.numerics.gp.slice_evidence import EffectSets, gain_beside
from accuracy_assay.runtime.arrays import FloatArray

T = 1.7


class World:
    """Normal observations of 12 cells, and four slices of them."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.Z = (rng.random((12, 4)) < 0.4).astype(float)
        self.Z[0] = 1.0
        self.total = some_kernel(rng, 12) + 0.5 * np.eye(12)
        self.y = rng.multivariate_normal(np.zeros(12), self.total) - 2.0 * self.Z[:, 1]
        inverse = np.linalg.inv(self.total)
        self.u = self.Z.T @ inverse @ self.y
        self.V = self.Z.T @ inverse @ self.Z

    def gain(self, chosen: tuple[int, ...]) -> float:
        some = self.Z[:, list(chosen)]
        zero = np.zeros(12)
        return float(
            multivariate_normal.logpdf(self.y, zero, self.total + T * some @ some.T)
            - multivariate_normal.logpdf(self.y, zero, self.total)
        )


@pytest.fixture
def world(rng: np.random.Generator) -> World:
    return World(rng)


def subsets() -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(4), size) for size in range(5)))


def test_the_gain_of_a_set_is_the_difference_of_two_densities(world: World) -> None:
    sets = EffectSets(world.u, world.V, np.zeros(4), T, 4)
    for chosen in subsets():
        assert sets.log_weight(frozenset(chosen)) == pytest.approx(world.gain(chosen), abs=1e-9)


def test_beside_a_set_a_slice_gains_what_the_larger_set_gains_more(world: World) -> None:
    beside = np.array([1, 3])
    gain = gain_beside(
        world.u,
        np.diag(world.V),
        world.V[:, beside],
        world.u[beside],
        world.V[np.ix_(beside, beside)],
        T,
    )
    for k in (0, 2):
        expected = world.gain((k, 1, 3)) - world.gain((1, 3))
        assert gain[k] == pytest.approx(expected, abs=1e-9)


def test_likely_sets_are_all_those_that_weigh_enough(world: World) -> None:
    log_odds: FloatArray = np.array([-1.0, -2.0, -1.5, -0.5])
    weight = {
        chosen: world.gain(chosen) + log_odds[list(chosen)].sum()
        for chosen in subsets()
        if len(chosen) <= 3
    }
    top = max(weight.values())
    expected = sorted((w for w in weight.values() if w >= top + np.log(0.05)), reverse=True)
    found = EffectSets(world.u, world.V, log_odds, T, 3).likely(0.05)
    np.testing.assert_allclose([w for _, w in found], expected, atol=1e-9)
    for members, w in found:
        assert weight[tuple(members.tolist())] == pytest.approx(w, abs=1e-9)
