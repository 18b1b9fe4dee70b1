"""One value of theta: what it says of the pool's cells, whichever way it is asked."""

from dataclasses import replace

import numpy as np
import pytest
from latent_gp import as_labels, some_cells

from accuracy_assay.estimators.anova.node import Node
from accuracy_assay.numerics.gp.anova import Layout
from accuracy_assay.numerics.gp.marginal_likelihood import fit_at
from accuracy_assay.numerics.gp.slice_effects import SliceEffect, with_effects
from accuracy_assay.runtime.precision import precision

EFFECTS = (SliceEffect((0, 1), (1, 2), 2.0, -3.0), SliceEffect((2,), (0,), 1.0, -3.0))


@pytest.fixture(params=[(), EFFECTS], ids=["plain", "with slice effects"])
def node(rng: np.random.Generator, request: pytest.FixtureRequest) -> Node:
    effects: tuple[SliceEffect, ...] = request.param
    layout = Layout((3, 3, 3), (False, False, True), 3)
    n = rng.integers(0, 9, 27).astype(float)
    with precision():
        cells = with_effects(some_cells(rng, 27), effects)
        labels = as_labels(rng.binomial(n.astype(int), 0.8).astype(float), n)
        fitted = fit_at(layout.prior_mean, cells, labels, np.zeros(27), layout)
    return Node(replace(fitted, effects=effects), 1.0, cells, 27)


def test_the_pool_is_like_any_cells(node: Node) -> None:
    for pool, any_cells in zip(node.moments, node.moments_at(node.pool, 27), strict=True):
        np.testing.assert_array_equal(pool, any_cells)


def test_variances_are_the_diagonal_and_sums_add_up(node: Node) -> None:
    every = np.arange(27)
    covariance = node.covariance(every, every)
    np.testing.assert_allclose(np.diag(covariance), node.moments[1], rtol=1e-5)
    index, weight = np.array([[0, 4, 9]]), np.array([[0.2, 0.3, 0.5]])
    expected = weight[0] @ covariance[np.ix_(index[0], index[0])] @ weight[0]
    assert node.mixed_variance(index, weight)[0] == pytest.approx(expected, rel=1e-6)
