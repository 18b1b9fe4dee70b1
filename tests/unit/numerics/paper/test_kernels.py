"""The radial kernel against SciPy's distances, and its slopes against finite differences."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.test_util import check_grads
from scipy.spatial.distance import cdist

from accuracy_assay.numerics.paper.kernels import correlation, squared_distance
from accuracy_assay.runtime.device import put

LENGTHS = np.array([[0.7], [2.0]])
compiled = jax.jit(correlation)


def arms(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(5, 3)), rng.normal(size=(4, 3))


def test_squared_distances_are_scipys_and_never_negative(rng) -> None:
    V, W = arms(rng)
    found = np.asarray(jax.jit(squared_distance)(put(V), put(W)))
    np.testing.assert_allclose(found, cdist(V, W, "sqeuclidean"))
    far = put(1e6 + V)
    assert (np.asarray(jax.jit(squared_distance)(far, far)) >= 0.0).all()


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
