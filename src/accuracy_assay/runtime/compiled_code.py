"""Compiled code that outlasts the process: JAX's persistent cache, for our own work alone.

``keep_compiled_code`` switches JAX's cache on inside its block and puts everything back after it,
so that what a user compiles with JAX never lands in the package's folder. The folder is
``accuracy-assay/jax`` under XDG_CACHE_HOME or ``~/.cache``; the variable ASSAY_COMPILATION_CACHE
names another one, or switches the cache off with ``off``. A folder that the user gave to JAX
itself is left as it is.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import jax
from jax.experimental.compilation_cache.compilation_cache import reset_cache

__all__ = ["compiled_code_folder", "keep_compiled_code"]

_FOLDER = "jax_compilation_cache_dir"
_LEAST_SECONDS = "jax_persistent_cache_min_compile_time_secs"
_WORTH_KEEPING_S = 0.05  # of compiling; chosen by hand: what takes less is not worth a file


def compiled_code_folder() -> Path | None:
    """Return the folder for compiled code, or None where it is switched off."""
    chosen = os.environ.get("ASSAY_COMPILATION_CACHE", "")
    if chosen.lower() in ("off", "0", "false", "no"):
        return None
    if chosen:
        return Path(chosen)
    root = os.environ.get("XDG_CACHE_HOME", "") or Path.home() / ".cache"
    return Path(root) / "accuracy-assay" / "jax"


class _Switch:
    """On while any block is open, in whichever thread: the settings belong to the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._before: dict[str, object] = {}

    def turn_on(self) -> None:
        with self._lock:
            folder = compiled_code_folder()
            if self._open == 0 and folder is not None and getattr(jax.config, _FOLDER) is None:
                self._before = {n: getattr(jax.config, n) for n in (_FOLDER, _LEAST_SECONDS)}
                _set(_FOLDER, str(folder))
                _set(_LEAST_SECONDS, _WORTH_KEEPING_S)
                reset_cache()
            self._open += 1

    def turn_off(self) -> None:
        with self._lock:
            self._open -= 1
            if self._open == 0 and self._before:
                for name, value in self._before.items():
                    _set(name, value)
                self._before = {}
                reset_cache()


_SWITCH = _Switch()


@contextmanager
def keep_compiled_code() -> Iterator[None]:
    """Look for compiled code in the cache folder, and leave it there, inside the block."""
    _SWITCH.turn_on()
    try:
        yield
    finally:
        _SWITCH.turn_off()


def _set(name: str, value: object) -> None:
    update: Callable[[str, object], None] = jax.config.update
    update(name, value)
