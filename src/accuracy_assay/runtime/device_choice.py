"""Where fits run: on the processor, on a GPU, or wherever JAX finds best.

The choice is made before anything is computed, and holds for this process and those it starts: JAX
looks for devices once, where a variable says. It is for the command line; in Python, tell JAX.
"""

from __future__ import annotations

import os
import sys
from typing import Literal, get_args

from accuracy_assay.errors import InputError, MissingExtraError, UnknownNameError
from accuracy_assay.runtime.imports import installed

__all__ = ["DeviceName", "choose_device", "share_gpu_memory"]

DeviceName = Literal["auto", "cpu", "gpu"]

_PLATFORMS = "JAX_PLATFORMS"  # names that JAX may use, which it reads when it is imported
_PREALLOCATE = "XLA_PYTHON_CLIENT_PREALLOCATE"


def share_gpu_memory() -> None:
    """Let JAX take a GPU's memory as it is needed, unless the user has said how.

    By default it takes three quarters of it at once and keeps them, from everything else that runs
    on the GPU: a service that is measured, or the page's second process.
    """
    os.environ.setdefault(_PREALLOCATE, "false")


def choose_device(device: str) -> None:
    """Have JAX compute on ``device``: ``cpu``, ``gpu``, or ``auto``, a GPU where there is one.

    Raises
    ------
    InputError
        If it is to be a GPU and JAX can use none.
    """
    if device not in get_args(DeviceName):
        raise UnknownNameError("device", device, get_args(DeviceName))
    if device == "cpu":
        os.environ[_PLATFORMS] = "cpu"
        if "jax" in sys.modules:
            sys.modules["jax"].config.update("jax_platforms", "cpu")
    if device == "gpu":
        _require_gpu()


def _require_gpu() -> None:
    import jax

    if jax.default_backend() == "gpu":
        return
    if allowed := os.environ.get(_PLATFORMS):
        raise InputError(
            f"device must be one that JAX may use; got 'gpu', and {_PLATFORMS} is {allowed!r}. "
            f"Unset {_PLATFORMS}."
        )
    if not any("cuda" in name or "rocm" in name for name in installed("jax_plugins")):
        raise MissingExtraError("device 'gpu'", "gpu")
    raise InputError(
        "device must be one that this machine has; got 'gpu', and JAX finds none. See whether "
        "nvidia-smi lists it and whether its driver is as new as the installed CUDA."
    )
