"""What an object lacks of a Protocol, in words."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Protocol

__all__ = ["missing_part"]


def missing_part(thing: object, protocol: type) -> str | None:
    """Return what ``thing`` lacks of ``protocol``, or None if it has all of it.

    A method is missing if it is not there or cannot be called with the Protocol's arguments.

    Examples
    --------
    >>> from typing import Protocol
    >>> class Sized(Protocol):
    ...     def size(self, unit): ...
    >>> missing_part(3, Sized)
    "no method 'size'"
    """
    for name, wanted in _members(protocol):
        is_method = inspect.isfunction(wanted)
        if not hasattr(thing, name):
            return f"no {'method' if is_method else 'property'} {name!r}"
        if not is_method:
            continue
        method = getattr(thing, name)
        if not callable(method):
            return f"a {name!r} that is no method"
        if lacking := _lacking_arguments(method, wanted):
            return f"a method {name!r} that cannot be called with {lacking}"
    return None


def _members(protocol: type) -> Iterator[tuple[str, Any]]:
    """Yield the public names that the Protocol and those that it extends declare."""
    for base in reversed(protocol.__mro__):
        if base not in (object, Protocol) and getattr(base, "_is_protocol", False):
            for name, value in vars(base).items():
                if not name.startswith("_"):
                    yield name, value


def _lacking_arguments(method: Any, wanted: Any) -> str | None:
    """Return the arguments that ``method`` does not take, given by position or by name."""
    arguments = list(inspect.signature(wanted).parameters.values())[1:]
    try:
        taken = inspect.signature(method)
    except (TypeError, ValueError):  # written in another language: it cannot say
        return None
    needed = [a.name for a in arguments if a.default is a.empty]
    optional = [a.name for a in arguments if a.default is not a.empty]
    for by_position, by_name in (([*needed, *optional], []), (needed, optional)):
        try:
            taken.bind(*by_position, **dict.fromkeys(by_name))
        except TypeError:
            continue
        return None
    absent = [a.name for a in arguments if a.name not in taken.parameters]
    return f"the argument {absent[0]!r}" if absent else f"({', '.join([*needed, *optional])})"
