"""Adam on all parameters as one vector."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from accuracy_assay.numerics.adam import adam, adam_start
from accuracy_assay.runtime.precision import precision


def test_its_steps_are_those_of_adam_on_each_parameter() -> None:
    with precision():
        params = {"a": jnp.array([1.0, -2.0]), "b": jnp.array([[0.5]])}
        ours, theirs = params, params
        state, reference = adam_start(params), optax.adam(0.1)
        reference_state = reference.init(params)
        for _ in range(3):
            slopes = jax.tree.map(lambda x: 2.0 * x, ours)
            step, state = adam(0.1).update(slopes, state, ours)
            ours = optax.apply_updates(ours, step)
            slopes = jax.tree.map(lambda x: 2.0 * x, theirs)
            step, reference_state = reference.update(slopes, reference_state, theirs)
            theirs = optax.apply_updates(theirs, step)
    for name in params:
        np.testing.assert_allclose(np.asarray(ours[name]), np.asarray(theirs[name]), rtol=1e-12)


def test_the_state_before_the_first_step_is_that_of_the_optimiser() -> None:
    with precision():
        params = {"a": jnp.ones(3), "b": jnp.ones((2, 2))}
        ours, made = adam_start(params), adam(0.1).init(params)
        leaves, expected = jax.tree.leaves(ours), jax.tree.leaves(made)
    assert jax.tree.structure(ours) == jax.tree.structure(made)
    for leaf, other in zip(leaves, expected, strict=True):
        assert leaf.dtype == other.dtype
        np.testing.assert_array_equal(np.asarray(leaf), np.asarray(other))
