"""Partition and losses of the calibration model: brute force and finite differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from accuracy_assay.numerics.joint import calibration_loss as losses
from accuracy_assay.numerics.joint.joint_moments import joint_moments
from accuracy_assay.numerics.joint.potential import BARRED
from accuracy_assay.numerics.joint.stacking import loss_and_slope
from accuracy_assay.numerics.joint.top_joint import expected_counts, log_partition
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision

SHAPE = (2, 3, 2, 4)
N_ARMS = 48
CODES = np.stack(np.unravel_index(np.arange(N_ARMS), SHAPE), axis=1)


@pytest.fixture
def log_m(rng) -> list[np.ndarray]:
    return [np.log(rng.dirichlet(np.ones(size), 20)) for size in SHAPE]


@pytest.fixture
def t(rng) -> np.ndarray:
    return rng.uniform(0.5, 2.0, 4)


@pytest.fixture(name="N")
def potential(rng) -> np.ndarray:
    return rng.normal(0, 1.5, N_ARMS)


def all_scores(log_m, t, N) -> np.ndarray:
    return sum(t[k] * log_m[k][:, CODES[:, k]] for k in range(4)) + N


def slope_by_differences(function, at: np.ndarray) -> np.ndarray:
    step = 1e-5
    return np.array(
        [(function(at + step * e) - function(at - step * e)) / (2 * step) for e in np.eye(at.size)]
    )


def test_partition_equals_brute_force_in_both_forms(log_m, t, N) -> None:
    exact = np.logaddexp.reduce(all_scores(log_m, t, N), axis=1)
    with precision("float64"):
        found = jax.jit(losses.log_partition)(log_m, t, N)
        np.testing.assert_allclose(np.asarray(found), exact)
    factors = [np.exp(t[k] * log_m[k]) for k in range(4)]
    np.testing.assert_allclose(log_partition(factors, N), exact)
    np.testing.assert_allclose(joint_moments(factors, N).log_z, exact)


def test_moments_equal_brute_force(log_m, t, N) -> None:
    scores = all_scores(log_m, t, N)
    P = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    factors = [np.exp(t[k] * log_m[k]) for k in range(4)]
    found = joint_moments(factors, N)
    np.testing.assert_allclose(found.arms, P.sum(axis=0))
    np.testing.assert_allclose(expected_counts(factors, N), P.sum(axis=0))
    for k in range(4):
        value = np.eye(SHAPE[k])[CODES[:, k]]
        np.testing.assert_allclose(found.values[k], P @ value)


@pytest.mark.parametrize("which", ["gold", "predicted"])
def test_gradients_equal_finite_differences(which, log_m, t, N, rng) -> None:
    arm = rng.integers(0, N_ARMS, 20)
    predicted = [np.where(m == m.max(axis=1, keepdims=True), 0.0, BARRED) for m in log_m]

    def loss(parameters):
        own_t, own_N = parameters[:4], parameters[4:]
        if which == "gold":
            return jnp.sum(losses.gold_losses(scores, arm, own_t, own_N))
        return losses.predicted_loss(scores, predicted, own_t, own_N)

    at = np.concatenate([t, N])
    with precision("float64"):
        scores, arm, predicted = jax.tree.map(put, (log_m, arm, predicted))
        value_and_slope = jax.jit(jax.value_and_grad(loss))
        found = np.asarray(value_and_slope(at)[1])
        expected = slope_by_differences(lambda x: float(value_and_slope(x)[0]), at)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_an_attribute_without_a_prediction_is_summed_out(log_m, t, N) -> None:
    nothing = [np.zeros_like(m) for m in log_m]
    with precision("float64"):
        found = jax.jit(losses.predicted_loss)(log_m, nothing, t, N)
        assert float(found) == pytest.approx(0.0, abs=1e-12)


def test_gradient_of_stacking_equals_finite_differences(log_m, rng) -> None:
    arm = rng.integers(0, N_ARMS, 20)
    features = rng.normal(size=(2, N_ARMS))
    at = rng.normal(0, 0.3, 4 + 2 + sum(SHAPE))
    _, found = loss_and_slope(at, log_m, arm, features)
    expected = slope_by_differences(lambda x: loss_and_slope(x, log_m, arm, features)[0], at)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_loss_of_stacking_is_that_of_the_model(log_m, rng) -> None:
    arm, features = rng.integers(0, N_ARMS, 20), rng.normal(size=(1, N_ARMS))
    parameters = np.concatenate([np.log([0.5, 1.0, 2.0, 1.5]), [0.7], np.zeros(sum(SHAPE))])
    scores = all_scores(log_m, np.exp(parameters[:4]), 0.7 * features[0])
    exact = np.logaddexp.reduce(scores, axis=1).sum() - scores[np.arange(20), arm].sum()
    assert loss_and_slope(parameters, log_m, arm, features)[0] == pytest.approx(exact)
