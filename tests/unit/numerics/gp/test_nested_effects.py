"""Nested effects are what the matrices that they stand for say."""

import numpy as np

from accuracy_assay.numerics.gp.nested_effects import Level, NestedEffects

ARM = np.array([0, 0, 1, 1, 1, 2, 3, 3])
CITY = np.array([0, 0, 0, 0, 0, 1, 1, 1])


def some_effects(rng: np.random.Generator) -> NestedEffects:
    levels = [Level(ARM, rng.uniform(0.2, 1.0, 4)), Level(CITY, np.array([0.7, 0.4]))]
    W = np.where(np.arange(8) == 6, 0.0, rng.uniform(0.5, 4.0, 8))
    return NestedEffects(rng.uniform(0.1, 0.5, 8), levels, W)


def covariance(effects: NestedEffects) -> np.ndarray:
    total = np.diag(effects.rest)
    for level in effects.levels:
        same = level.group[:, None] == level.group
        total = total + same * level.s[level.group]
    return total


def test_a_product_is_one_with_the_covariance(rng: np.random.Generator) -> None:
    effects, x = some_effects(rng), rng.standard_normal((8, 3))
    np.testing.assert_allclose(effects.times(x), covariance(effects) @ x)


def test_a_solution_is_one_with_covariance_and_noise(rng: np.random.Generator) -> None:
    effects, x = some_effects(rng), rng.standard_normal((8, 3))
    root = np.sqrt(effects.W)[:, None]
    inner = np.eye(8) + root * covariance(effects) * root.T
    np.testing.assert_allclose(effects.solve(x), root * np.linalg.solve(inner, root * x))


def test_what_is_left_of_effects_is_the_posterior_covariance(rng: np.random.Generator) -> None:
    effects = some_effects(rng)
    prior = covariance(effects)
    posterior = prior - prior @ effects.solve(prior)
    made = np.diag(effects.left)
    share = 1.0 / (1.0 + effects.rest * effects.W)
    for level, c in zip(effects.levels, effects.loadings(effects.levels, share), strict=True):
        made += (level.group[:, None] == level.group) * np.outer(c, c)
    np.testing.assert_allclose(made, posterior, atol=1e-12)


def test_without_levels_each_cell_is_alone() -> None:
    effects = NestedEffects(np.array([2.0]), [], np.array([1.0]))
    assert effects.solve(np.array([[3.0]])).tolist() == [[1.0]]
    assert effects.left.tolist() == [2.0 / 3.0]
