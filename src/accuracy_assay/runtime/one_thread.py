"""One thread of numerics per process, for processes that share a machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["environment", "one_thread"]

_ONE_THREAD: Mapping[str, str] = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


def one_thread() -> dict[str, str]:
    """Return the variables that ask for one thread, less those that the user has set."""
    return {name: value for name, value in _ONE_THREAD.items() if name not in os.environ}


@contextmanager
def environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Set variables for the processes that start inside the block."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
