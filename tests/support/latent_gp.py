"""Small latent Gaussian models for tests: kernels, cells and labels as arrays."""

import jax
import jax.numpy as jnp
import numpy as np

from accuracy_assay.numerics.gp import kernel_matrix, laplace
from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.laplace import CellLabels
from accuracy_assay.runtime.arrays import FloatArray

# Compiled as one, as in the product; operation by operation each would be compiled on its own.
find_mode = jax.jit(laplace.find_mode)
marginal_and_slopes = jax.jit(laplace.marginal_and_slopes)
mean_shift = jax.jit(laplace.mean_shift)
_kernel = jax.jit(kernel_matrix.kernel)


def kernel(
    theta: FloatArray | jax.Array, rows: CellArrays, columns: CellArrays, layout: Layout
) -> jax.Array:
    """Return K at theta."""
    return _kernel(kernel_matrix.tables_of(np.asarray(theta), layout), rows, columns)


def some_kernel(rng: np.random.Generator, J: int) -> FloatArray:
    """Return a positive definite matrix (J, J)."""
    x = rng.normal(size=(J, 2))
    distance = ((x[:, None] - x[None]) ** 2).sum(-1)
    return np.asarray(1.5 * np.exp(-0.5 * distance) + 0.3 * np.eye(J))


def log_z(K: FloatArray, mu: float, labels: CellLabels) -> float:
    """Return the approximate log evidence."""
    K_, start = jnp.asarray(K), jnp.zeros(K.shape[0])
    mode = find_mode(K_, jnp.asarray(mu), labels, start)
    return float(marginal_and_slopes(K_, jnp.asarray(mu), labels, mode)[0])


def as_labels(y: FloatArray, n: FloatArray) -> CellLabels:
    """Return the labels on the device."""
    return CellLabels(jnp.asarray(y), jnp.asarray(n))


def some_cells(rng: np.random.Generator, J: int) -> CellArrays:
    """Return J cells of three coordinates with three values each, in two signal groups."""
    codes = rng.integers(0, 3, size=(J, 3))
    arm = codes @ [9, 3, 1]
    parts = (codes, arm, codes[:, 2] % 2, 0.5 + arm / 20.0)
    return CellArrays(*(jnp.asarray(part) for part in parts))
