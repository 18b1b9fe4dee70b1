"""Programs: functions that JAX compiles, as a GPU needs it.

For each matrix product of a program XLA times on the GPU every kernel that it knows, and keeps the
fastest. Of matrices with 20,000 rows one trial takes up to a second, and a first fit waits most of
a minute for them (docs/speed.md). Our programs are compiled without trials. The option belongs to
each program: what a user compiles with JAX is compiled as ever.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax

__all__ = ["program"]

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
