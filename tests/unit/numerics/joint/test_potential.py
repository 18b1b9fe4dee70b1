"""The network of the joint potential, unit by unit."""

import jax
import numpy as np
import pytest

from accuracy_assay.numerics.joint.potential import BARRED, evaluate, initial_network, one_hot
from accuracy_assay.runtime.precision import precision

SHAPE = (2, 3)


@pytest.fixture
def network(rng) -> tuple[np.ndarray, ...]:
    return tuple(rng.normal(size=size) for size in ((5, 4), 4, (4, 4), 4, 4))


def test_an_untrained_network_adds_nothing(rng) -> None:
    x = one_hot(np.array([[0, 0], [1, 2]]), SHAPE)
    np.testing.assert_array_equal(evaluate(initial_network(5, 16, rng), x), 0.0)


def test_a_value_is_two_layers_of_rectifiers_and_a_sum(network) -> None:
    w1, b1, w2, b2, w3 = network
    first = np.maximum(w1[1] + w1[4] + b1, 0.0)  # columns 1 and 4: value 1, then value 2
    second = np.maximum(first @ w2 + b2, 0.0)
    assert evaluate(network, one_hot(np.array([[1, 2]]), SHAPE))[0] == pytest.approx(second @ w3)


def test_jax_and_numpy_agree(network) -> None:
    x = one_hot(np.stack(np.unravel_index(np.arange(6), SHAPE), axis=1), SHAPE)
    with precision("float64"):
        found = np.asarray(jax.jit(evaluate)(network, x))
    np.testing.assert_allclose(found, evaluate(network, x))


def test_a_one_hot_row_has_a_one_per_attribute(rng) -> None:
    codes = np.stack([rng.integers(0, size, 20) for size in SHAPE], axis=1)
    x = one_hot(codes, SHAPE)
    np.testing.assert_array_equal(x[:, :2].argmax(axis=1), codes[:, 0])
    np.testing.assert_array_equal(x[:, 2:].argmax(axis=1), codes[:, 1])
    np.testing.assert_array_equal(x.sum(axis=1), 2.0)


def test_what_is_barred_has_no_probability_and_yet_a_finite_score() -> None:
    assert np.exp(BARRED) == 0.0
    assert np.isfinite(BARRED)
