"""Losses of the calibration model: brute force and finite differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from accuracy_assay.numerics.joint import exact_loss as losses
from accuracy_assay.numerics.joint.potential import BARRED
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision


def slope_by_differences(function, at: np.ndarray) -> np.ndarray:
    step = 1e-5
    return np.array(
        [(function(at + step * e) - function(at - step * e)) / (2 * step) for e in np.eye(at.size)]
    )


def test_partition_equals_brute_force(case) -> None:
    with precision("float64"):
        found = jax.jit(losses.log_partition)(case.log_m, case.s, case.N)
        np.testing.assert_allclose(np.asarray(found), case.log_z)


@pytest.mark.parametrize("which", ["gold", "predicted"])
def test_gradients_equal_finite_differences(which, case, rng) -> None:
    arm = rng.integers(0, case.n_arms, case.n_rows)
    predicted = [np.where(m == m.max(axis=1, keepdims=True), 0.0, BARRED) for m in case.log_m]

    def loss(parameters):
        s, N = parameters[:4], parameters[4:]
        if which == "gold":
            return jnp.sum(losses.gold_losses(log_m, arm, s, N))
        return losses.predicted_loss(log_m, predicted, s, N)

    at = np.concatenate([case.s, case.N])
    with precision("float64"):
        log_m, arm, predicted = jax.tree.map(put, (case.log_m, arm, predicted))
        value_and_slope = jax.jit(jax.value_and_grad(loss))
        found = np.asarray(value_and_slope(at)[1])
        expected = slope_by_differences(lambda x: float(value_and_slope(x)[0]), at)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_loss_of_predicted_values_is_their_share_of_the_mass(case) -> None:
    top = [m.argmax(axis=1) for m in case.log_m]
    # The last attribute has no prediction, so it is summed out.
    predicted = [
        np.where(np.eye(size)[top[k]] > 0, 0.0, BARRED) for k, size in enumerate(case.shape)
    ]
    predicted[3] = np.zeros_like(predicted[3])
    agrees = np.all([case.codes[:, k] == top[k][:, None] for k in range(3)], axis=0)
    exact = -np.log((case.posterior * agrees).sum(axis=1)).mean()
    with precision("float64"):
        found = jax.jit(losses.predicted_loss)(case.log_m, predicted, case.s, case.N)
        assert float(found) == pytest.approx(exact)


def test_an_attribute_without_a_prediction_is_summed_out(case) -> None:
    nothing = [np.zeros_like(m) for m in case.log_m]
    with precision("float64"):
        found = jax.jit(losses.predicted_loss)(case.log_m, nothing, case.s, case.N)
        assert float(found) == pytest.approx(0.0, abs=1e-12)
