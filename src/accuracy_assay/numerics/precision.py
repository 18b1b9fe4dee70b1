"""Which floating-point width a computation runs in, and where its compiled code is kept.

Importing the package changes no JAX setting. ``precision`` widens numbers inside its block alone
(JAX keeps the flag per thread). The persistent compilation cache is a setting of the process: it
is chosen at the first block, and only if the user has chosen none.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

import jax

__all__ = ["Width", "precision"]

_CACHE_DIR = "jax_compilation_cache_dir"

Width = Literal["float64", "float32"]


@contextmanager
def precision(width: Width = "float64") -> Iterator[None]:
    """Run the block's JAX code in ``width``.

    Parameters
    ----------
    width
        ``"float64"`` (the default on a CPU) or ``"float32"``.
    """
    _keep_compiled_code()
    with jax.enable_x64(width == "float64"):
        yield


@cache
def _keep_compiled_code() -> None:
    """Point JAX's compilation cache at the user's cache folder unless one is set already."""
    if getattr(jax.config, _CACHE_DIR) or os.environ.get("ASSAY_NO_COMPILATION_CACHE"):
        return
    root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    set_option: Callable[[str, object], None] = jax.config.update
    set_option(_CACHE_DIR, str(root / "accuracy-assay" / "jax"))
    set_option("jax_persistent_cache_min_compile_time_secs", 0.1)
