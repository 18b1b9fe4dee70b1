"""The errors of the project, drawn as one tree.

::

    AssayError                      everything that this package raises on purpose
    ├── InputError                  the user's mistake: a value, a file, a name (exit code 2)
    │   ├── UnknownNameError        a column, an estimator, a task that does not exist
    │   ├── ConflictError           an answer that contradicts one that was given before
    │   └── MissingExtraError       an optional dependency is not installed
    ├── ConvergenceError            a fit did not reach a usable answer (exit code 1)
    ├── ServiceError                a service did not answer, or not in the way it should
    └── StoreError                  the store is away, full or damaged
        ├── DamageError             a stored event is not what was written
        │   └── OlderStoreError     events that were seen before are not in the store
        └── StaleError              others wrote to the store in the meantime

Messages read ``<name> must <rule>; got <value>.`` followed by a hint that says what to do.
"""

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "AssayError",
    "ConflictError",
    "ConvergenceError",
    "DamageError",
    "InputError",
    "MissingExtraError",
    "OlderStoreError",
    "ServiceError",
    "StaleError",
    "StoreError",
    "UnknownNameError",
]

_SHOWN_NAMES = 20
"""Of the names that exist, in a message: all methods of any kind, and a message of few lines."""


class AssayError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(AssayError):
    """A value, file or option that the user can put right."""


class UnknownNameError(InputError):
    """A name that does not exist; the message lists the names that do."""

    def __init__(
        self, what: str, name: object, known: Iterable[object], hint: str | None = None
    ) -> None:
        names = [str(k) for k in known]
        more = ", ..." if len(names) > _SHOWN_NAMES else ""
        shown = ", ".join(names[:_SHOWN_NAMES]) + more
        near = _nearest(str(name), names)
        further = f" {hint}" if hint else ""
        super().__init__(f"{what} must be one of [{shown}]; got {name!r}.{near}{further}")


class MissingExtraError(InputError):
    """An optional dependency that a feature needs is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} must have the extra '{extra}'; got an installation without it. "
            f"Install it with: pip install 'accuracy-assay[{extra}]'"
        )


class ConflictError(InputError):
    """An answer that contradicts one that the same annotator gave before."""


class ConvergenceError(AssayError):
    """A fit did not reach a usable answer, and no surface was returned."""


class ServiceError(AssayError):
    """A service did not answer, or not in the way it should."""


class StoreError(AssayError):
    """The store is away, full or damaged; what it acknowledged before is not lost."""


class DamageError(StoreError):
    """An event of a store is not what was written; ``good`` are those read before it."""

    def __init__(self, message: str, good: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.good = tuple(good)


class OlderStoreError(DamageError):
    """A store without events that were seen in it before; ``good`` are those that it has."""


class StaleError(StoreError):
    """Others wrote to the store in the meantime; read again and decide again."""


def _nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
