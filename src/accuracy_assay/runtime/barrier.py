"""A wall for the compiler: what is behind it is worked out once.

XLA fuses a cheap-looking operation into everything that uses it. An exponential or a quadrature
node that is used in five places is then computed five times.
"""

from typing import TypeVar

import jax

__all__ = ["compute_once"]

T = TypeVar("T")


def compute_once(values: T) -> T:
    """Return ``values`` (an array or a tree of arrays), computed once however often they are used.

    Examples
    --------
    >>> int(compute_once(jax.numpy.array(3)))
    3
    """
    kept: T = jax.lax.optimization_barrier(values)  # type: ignore[no-untyped-call]
    return kept
