"""The embedding of arms: layers by hand, and the scale of what is drawn."""

import jax
import numpy as np
import pytest

from accuracy_assay.numerics.paper.embedding import embed, random_network, random_projection
from accuracy_assay.runtime.device import put

compiled = jax.jit(embed)


def test_layers_are_rectified_and_the_last_is_linear(rng) -> None:
    X, projection = rng.normal(size=(6, 4)), rng.normal(size=(3, 2))
    layers = [
        (rng.normal(size=(4, 5)), rng.normal(size=5)),
        (rng.normal(size=(5, 3)), rng.normal(size=3)),
    ]
    hidden = np.maximum(
        np.maximum(X @ layers[0][0] + layers[0][1], 0.0) @ layers[1][0] + layers[1][1], 0.0
    )
    network = tuple((put(weights), put(bias)) for weights, bias in layers)
    np.testing.assert_allclose(compiled(network, put(projection), put(X)), hidden @ projection)


def test_without_layers_the_input_is_its_own_embedding(rng) -> None:
    X = rng.normal(size=(6, 4))
    np.testing.assert_array_equal(embed((), None, put(X)), X)


def test_a_projection_keeps_squared_distances_in_expectation(rng) -> None:
    X = np.eye(50)
    projected = X @ np.asarray(random_projection(50, 400, 1.0, rng))
    squared = ((projected[::2] - projected[1::2]) ** 2).sum(axis=1)
    # 25 pairs of squared distance 2, each a mean of 400 squares: standard error sqrt(2 / 400) / 5.
    assert squared.mean() == pytest.approx(2.0, rel=4.0 * np.sqrt(2.0 / 400) / 5.0)


def test_a_random_network_has_the_widths_and_keeps_the_size_of_its_inputs(rng) -> None:
    network = random_network(200, (300, 100), rng)
    assert [weights.shape for weights, _ in network] == [(200, 300), (300, 100)]
    X = rng.normal(size=(50, 200))
    out = np.asarray(compiled(network, None, put(X)))
    # He's scaling: the mean square of a rectified layer is that of its input.
    assert (out**2).mean() == pytest.approx((X**2).mean(), rel=0.2)
    np.testing.assert_array_equal(np.asarray(network[0][1]), 0.0)
