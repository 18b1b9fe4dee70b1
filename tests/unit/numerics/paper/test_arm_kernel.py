"""The radial kernel against SciPy's distances, its slopes, and the layers of the embedding."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads
from scipy.spatial.distance import cdist

from accuracy_assay.numerics.paper.arm_kernel import (
    correlation,
    embed,
    random_network,
    random_projection,
    squared_distance,
)
from accuracy_assay.runtime.device import put

LENGTHS = np.array([[0.7], [2.0]])
compiled = jax.jit(correlation)
embedded = jax.jit(embed)


def arms(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(5, 3)), rng.normal(size=(4, 3))


def test_squared_distances_are_scipys_and_never_negative(rng) -> None:
    V, W = arms(rng)
    found = np.asarray(jax.jit(squared_distance)(put(V), put(W)))
    np.testing.assert_allclose(found, cdist(V, W, "sqeuclidean"))
    far = put(1e6 + V)
    assert (np.asarray(jax.jit(squared_distance)(far, far)) >= 0.0).all()


def test_functions_with_their_own_projections_have_their_own_correlations(rng) -> None:
    X = rng.normal(size=(5, 3))
    own = random_projection(3, 2, 1.0, rng, n_functions=2)
    V = embedded((), own, put(X))
    found = np.asarray(compiled(V, V, put(LENGTHS)))
    for C, projection, length in zip(found, own, LENGTHS, strict=True):
        alone = embedded((), projection, put(X))
        np.testing.assert_allclose(C, compiled(alone, alone, put(length[None]))[0])


def test_correlations_fall_with_the_distance_over_the_length(rng) -> None:
    V, W = arms(rng)
    found = np.asarray(compiled(put(V), put(W), put(LENGTHS)))
    for C, length in zip(found, LENGTHS[:, 0], strict=True):
        np.testing.assert_allclose(C, np.exp(-cdist(V, W, "sqeuclidean") / (2.0 * length**2)))


def test_one_length_per_dimension_scales_each_of_them(rng) -> None:
    V, W = arms(rng)
    each = np.array([[0.7, 1.0, 3.0], [2.0, 0.5, 0.9]])
    found = np.asarray(compiled(put(V), put(W), put(each)))
    for C, length in zip(found, each, strict=True):
        expected = np.exp(-0.5 * cdist(V / length, W / length, "sqeuclidean"))
        np.testing.assert_allclose(C, expected)
    shared = np.repeat(LENGTHS, 3, axis=1)
    np.testing.assert_allclose(
        compiled(put(V), put(W), put(shared)), compiled(put(V), put(W), put(LENGTHS))
    )


def test_slopes_are_finite_differences(rng) -> None:
    V, W = (put(a) for a in arms(rng))

    @jax.jit
    def total(V: jax.Array, length: jax.Array) -> jax.Array:
        return jnp.sin(3.0 * correlation(V, W, length)).sum()

    check_grads(total, (V, put(LENGTHS)), order=1, modes=("rev",))


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
    np.testing.assert_allclose(embedded(network, put(projection), put(X)), hidden @ projection)


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
    out = np.asarray(embedded(network, None, put(X)))
    # He's scaling: the mean square of a rectified layer is that of its input.
    assert (out**2).mean() == pytest.approx((X**2).mean(), rel=0.2)
    np.testing.assert_array_equal(np.asarray(network[0][1]), 0.0)
