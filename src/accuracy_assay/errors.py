"""The errors of the project, drawn as one tree.

::

    AssayError                      everything that this package raises on purpose
    ├── InputError                  the user's mistake: a value, a file, a name (exit code 2)
    │   ├── UnknownNameError        a column, an estimator, a task that does not exist
    │   └── MissingExtraError       an optional dependency is not installed
    └── ConvergenceError            a fit did not reach a usable answer (exit code 1)

Messages read ``<name> must <rule>; got <value>.`` followed by a hint that says what to do.
"""

from collections.abc import Iterable

__all__ = [
    "AssayError",
    "ConvergenceError",
    "InputError",
    "MissingExtraError",
    "UnknownNameError",
]


class AssayError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(AssayError):
    """A value, file or option that the user can put right."""


class UnknownNameError(InputError):
    """A name that does not exist; the message lists the names that do."""

    def __init__(self, what: str, name: object, known: Iterable[object]) -> None:
        names = [str(k) for k in known]
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        hint = _nearest(str(name), names)
        super().__init__(f"{what} must be one of [{shown}]; got {name!r}.{hint}")


class MissingExtraError(InputError):
    """An optional dependency that a feature needs is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} must have the extra '{extra}'; got an installation without it. "
            f"Install it with: pip install 'accuracy-assay[{extra}]'"
        )


class ConvergenceError(AssayError):
    """A fit did not reach a usable answer, and no surface was returned."""


def _nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
