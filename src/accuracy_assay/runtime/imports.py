"""Code that is found by what a user typed: ``module:Class``, or a name of an installed package.

A package makes its own methods known by entry points (the table ``[project.entry-points]`` of its
``pyproject.toml``). They are looked up when a name is in none of our tables, once per process and
group. What our own distribution declares comes before the same name of another.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from accuracy_assay.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["import_address", "import_named", "import_ours", "installed", "is_module"]

_DISTRIBUTION = "accuracy-assay"
_EXTRA_OF: Mapping[str, str] = {
    "fairlearn": "peers",
    "psycopg": "postgres",
    "ray": "ray",
    "starlette": "web",
    "torch": "vision",
    "torchvision": "vision",
    "uvicorn": "web",
}
"""The extra that installs each optional package."""


@cache
def installed(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    """Return the entry points of ``group`` by name; several packages may declare the same."""
    from importlib.metadata import entry_points

    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=group):
        known = found.get(point.name, ())
        if point.value not in [other.value for other in known]:
            found[point.name] = (*known, point)
    return found


def is_module(name: str) -> bool:
    """Return whether there is a module, or the package that would hold it; nothing is imported.

    Examples
    --------
    >>> is_module("statistics"), is_module("no_such_module.at_all")
    (True, False)
    """
    top = name.partition(".")[0]
    return top.isidentifier() and find_spec(top) is not None


def import_ours(feature: str, address: str) -> Any:
    """Import ``module:Class`` of ours; an extra that is not installed is named in the error."""
    module_name, _, class_name = address.partition(":")
    try:
        return getattr(import_module(module_name), class_name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA_OF:
            raise
        raise MissingExtraError(feature, _EXTRA_OF[package]) from None


def import_named(what: str, name: str, group: str) -> Any:
    """Return what the installed packages declare under ``name``.

    Raises
    ------
    InputError
        If two packages declare different things under it, or it cannot be imported.
    MissingExtraError
        If our own distribution declares it, and its extra is not installed.
    """
    points = installed(group)[name]
    for point in points:
        if point.dist is not None and point.dist.name == _DISTRIBUTION:
            return import_ours(f"{what} {name!r}", point.value)
    if len(points) > 1:
        raise InputError(
            f"{what} {name!r} must be declared by one package; got "
            f"{' and '.join(_declared(p) for p in points)}. Write one of them as module:Class."
        )
    address = points[0].value.partition("[")[0].strip()
    return import_address(f"{what} {name!r}", address, f", declared by {_package(points[0])}")


def import_address(what: str, address: str, origin: str = "") -> Any:
    """Return what ``module:Class`` stands for; ``module:Outer.Inner`` is taken too.

    Raises
    ------
    InputError
        If the module cannot be imported or has nothing of that name.

    Examples
    --------
    >>> import_address("mean", "statistics:fmean")([1, 2])
    1.5
    """
    module_name, _, path = address.partition(":")
    if not module_name.replace(".", "").isidentifier() or not path:
        raise InputError(f"{what} must read module:Class; got {address!r}{origin}.")
    try:
        found: Any = import_module(module_name)
    except (Exception, SystemExit) as error:  # a module of the user's may fail in any way
        raise InputError(
            f"{what} must be importable; got {address!r}{origin} "
            f"({type(error).__name__}: {error}). Is its folder on PYTHONPATH?"
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise InputError(
                f"{what} must exist in its module; got {address!r}{origin}, and {module_name!r} "
                f"has no {part!r}.{_nearest(part, found)}"
            )
        found = getattr(found, part)
    return found


def _declared(point: EntryPoint) -> str:
    return f"{point.value!r} of {_package(point)}"


def _package(point: EntryPoint) -> str:
    return "a package without a name" if point.dist is None else f"package {point.dist.name!r}"


def _nearest(name: str, holder: object) -> str:
    close = get_close_matches(name, [n for n in dir(holder) if not n.startswith("_")], n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
