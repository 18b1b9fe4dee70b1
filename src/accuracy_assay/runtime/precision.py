"""How the package's own numerical code runs: its floating-point width, compiled code and threads.

Importing the package changes no setting. ``precision`` widens numbers inside its block alone (JAX
keeps the flag per thread) and finds compiled code on disk (``compiled_code``). It gives the linear
algebra under JAX one thread: factors of a few hundred rows gain nothing from two, and on a busy
machine such threads wait for one another a hundred times longer than the work takes. Matrix
products, which are most of the work, still use every core. On a GPU products of float32 are made
in float32; by default their factors are rounded to ten bits there, and a covariance so rounded may
have no root.
"""

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Literal

import jax
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from accuracy_assay.runtime.compiled_code import keep_compiled_code
from accuracy_assay.runtime.device import has_accelerator

__all__ = ["Width", "precision"]

Width = Literal["float64", "float32"]


@contextmanager
def precision(width: Width = "float64") -> Iterator[None]:
    """Run the block's JAX code in ``width``.

    Parameters
    ----------
    width
        ``"float64"`` (the default on a CPU) or ``"float32"``.
    """
    one_thread = _linear_algebra().limit(limits=1)
    with keep_compiled_code(), one_thread, jax.enable_x64(width == "float64"), _products(width):
        yield


def _products(width: Width) -> AbstractContextManager[None]:
    if width == "float64" or not has_accelerator():
        return nullcontext()
    exact: AbstractContextManager[None] = jax.default_matmul_precision("highest")
    return exact


@cache
def _linear_algebra() -> ThreadpoolController:
    """Return the threads of the libraries behind NumPy and SciPy; JAX calls the latter."""
    importlib.import_module("scipy.linalg")
    return ThreadpoolController().select(user_api="blas")
