"""Programs: functions that JAX compiles, and what the compiler must not do to them.

For each matrix product of a program XLA times every kernel that it knows on the GPU, and keeps the
fastest. With matrices of 20,000 rows one trial takes up to a second, and a first fit waits for
them for most of a minute (docs/speed.md). Our programs are compiled without trials. The option
belongs to each program: what a user compiles with JAX is compiled as usual.

XLA also fuses a cheap-looking operation into everything that uses it. An exponential or a
quadrature node that is used in five places is then computed five times.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import jax

__all__ = ["compute_once", "program"]

T = TypeVar("T")
_ON_GPU = {"xla_gpu_autotune_level": 0}


def program(
    function: Callable[..., Any], *, static_argnames: str | tuple[str, ...] = ()
) -> Callable[..., Any]:
    """Return ``function`` compiled at its first call for each shape, on whatever device there is.

    Parameters
    ----------
    function
        A function of arrays.
    static_argnames
        Arguments whose values are part of what is compiled, as for ``jax.jit``.

    Examples
    --------
    >>> int(program(lambda x: x + 1)(2))
    3
    """
    anywhere = jax.jit(function, static_argnames=static_argnames)
    on_gpu = jax.jit(function, static_argnames=static_argnames, compiler_options=_ON_GPU)

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        # Inside another program the outer one's options hold, and JAX takes no others.
        leaves = jax.tree.leaves((args, kwargs))
        is_part = any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        chosen = on_gpu if jax.default_backend() == "gpu" and not is_part else anywhere
        return chosen(*args, **kwargs)

    return run


def compute_once(values: T) -> T:
    """Return ``values`` (an array or a tree of arrays), computed once however often they are used.

    Examples
    --------
    >>> int(compute_once(jax.numpy.array(3)))
    3
    """
    kept: T = jax.lax.optimization_barrier(values)  # type: ignore[no-untyped-call]
    return kept
