"""A wall for the compiler."""

import jax
import jax.numpy as jnp
import numpy as np

from accuracy_assay.runtime.barrier import compute_once


def test_values_and_slopes_pass_through() -> None:
    x = jnp.arange(3.0)
    passed = compute_once({"a": x, "b": (x + 1.0,)})
    np.testing.assert_array_equal(passed["a"], x)
    np.testing.assert_array_equal(passed["b"][0], x + 1.0)
    slope = jax.grad(lambda x: jnp.sum(compute_once(x) ** 2))(x)
    np.testing.assert_allclose(slope, 2.0 * x)


def test_the_compiler_sees_the_wall() -> None:
    text = jax.jit(lambda x: compute_once(jnp.exp(x)) * 2.0).lower(jnp.ones(2)).as_text()
    assert "optimization_barrier" in text
