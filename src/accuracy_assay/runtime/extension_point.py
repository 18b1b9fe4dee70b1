"""An extension point: from what a user wrote to an object that follows a Protocol.

A choice is a name of ours, a name that an installed package declares, ``module:Class``, one of
these with settings after a colon, a table of settings with one of these as its ``name``, or an
object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.runtime.imports import import_address, import_named, import_ours, installed
from accuracy_assay.runtime.settings import check_settings, setting_names
from accuracy_assay.runtime.written_choice import read_choice

__all__ = ["ExtensionPoint"]


@dataclass(frozen=True)
class ExtensionPoint:
    """What messages call it, our own names, the group of other packages' and the Protocol."""

    what: str
    built_in: Mapping[str, str]
    group: str
    protocol: type

    def build(self, choice: Any, settings: Mapping[str, Any]) -> Any:
        """Return the object that ``choice`` stands for, or itself if it is one already."""
        if not isinstance(choice, str | Mapping):
            return self._follows(choice, repr(choice))
        name, own = self._split(choice)
        owner, made_by = f"{self.what} {name!r}", self.find(name)
        made = made_by(**check_settings(owner, made_by, {**own, **settings}))
        return self._follows(made, repr(name))

    def find(self, name: str) -> Any:
        """Return the class or function that ``name`` stands for."""
        if name in self.built_in:
            return import_ours(f"{self.what} {name!r}", self.built_in[name])
        if ":" in name:
            found = import_address(self.what, name)
        elif name in installed(self.group):
            found = import_named(self.what, name, self.group)
        else:
            raise UnknownNameError(
                self.what,
                name,
                [*self.built_in, *installed(self.group)],
                hint="One of your own is written module:Class.",
            )
        if not callable(found):
            raise InputError(
                f"{self.what} must be a class, or a function that makes one; got {name!r}, which "
                f"is {found!r}."
            )
        return found

    def check(self, choice: Any) -> None:
        """Refuse what `build` would; a plain name of ours costs no import."""
        if not (isinstance(choice, str) and choice in self.built_in):
            self.build(choice, {})

    def settings_of(self, choice: Any) -> tuple[str, ...]:
        """Return the names of what may be set."""
        return setting_names(self.find(self._split(choice)[0]))

    def _split(self, choice: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the name and the settings of a table, or of a text that holds both."""
        read = read_choice(choice)
        if isinstance(read, str):
            return read, {}
        settings = {**read}
        name = settings.pop("name", None)
        if not isinstance(name, str):
            raise InputError(
                f"{self.what} given as a table must have a name, such as "
                f"{{'name': {next(iter(self.built_in), '')!r}, ...}}; got {read!r}."
            )
        return name, settings

    def _follows(self, made: Any, shown: str) -> Any:
        """Return ``made`` if it follows the Protocol; say what it lacks if it does not."""
        lacking = missing_part(made, self.protocol)
        if isinstance(made, type) or lacking is not None:
            fault = "is a class" if isinstance(made, type) else f"has {lacking}"
            raise InputError(
                f"{self.what} must be a name such as {next(iter(self.built_in), '')!r}, "
                f"module:Class, or an object that follows the protocol "
                f"{self.protocol.__name__}; got {shown}, which {fault}."
            )
        return made
