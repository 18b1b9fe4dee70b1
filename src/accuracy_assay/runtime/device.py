"""From NumPy to the device of a fit, without a compilation.

An operation of JAX outside compiled code, ``jnp.asarray`` and ``jnp.zeros`` among them, is a small
program that is compiled for each new shape. What a fit starts from is therefore made with NumPy
and put on the device as it is.
"""

import jax
import numpy as np
import numpy.typing as npt
from jax import Array

__all__ = ["has_accelerator", "put"]


def put(values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> Array:
    """Return ``values`` on the device, in the width of the surrounding ``precision``.

    Examples
    --------
    >>> put([1, 2]).tolist()
    [1, 2]
    """
    placed: Array = jax.device_put(np.asarray(values, dtype))
    return placed


def has_accelerator() -> bool:
    """Return whether fits run on something other than the processor, with a memory of its own."""
    return jax.default_backend() != "cpu"
