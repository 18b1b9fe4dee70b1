"""Two details of our docstrings that the reference pages would otherwise show wrongly.

Parameters that share a description, ``y_true, y_pred, agreement``, get their own types and
defaults instead of the first one's, and the ``::`` before an indented block is a mark of
reStructuredText that Markdown does not know.
"""

import re
from typing import Any

import griffe

__all__ = ["NumpydocDetails"]


class NumpydocDetails(griffe.Extension):
    """Mends every docstring once the package is read."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Visit every object of the package."""
        _mend(pkg)


def _mend(owner: griffe.Object) -> None:
    if owner.docstring is not None:
        text = re.sub(r"^::\n", "", owner.docstring.value, flags=re.MULTILINE)
        owner.docstring.value = re.sub(r"::\n\n( +)", r":\n\n\1", text)
        if isinstance(owner, griffe.Function | griffe.Class):
            _give_types(owner)
    for member in owner.members.values():
        if isinstance(member, griffe.Object):
            _mend(member)


def _give_types(owner: griffe.Function | griffe.Class) -> None:
    assert owner.docstring is not None
    for section in owner.docstring.parsed:
        if not isinstance(section, griffe.DocstringSectionParameters):
            continue
        for parameter in section.value:
            if parameter.name in owner.parameters:
                own = owner.parameters[parameter.name]
                parameter.annotation, parameter.value = own.annotation, own.default
