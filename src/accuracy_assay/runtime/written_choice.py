"""A choice in one text: a name, and settings after a colon, ``beta-gp-sl:supervision=gamma``."""

import re
from collections.abc import Mapping
from typing import Any

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.settings import toml_value

__all__ = ["read_choice"]

_COMMA = re.compile(r",(?![^\[]*\])")
"""One that parts settings, and not the values of a list."""


def read_choice(choice: str | Mapping[str, Any]) -> str | dict[str, Any]:
    """Return a name as it is, or a name with settings as a table; a table's name may have some.

    Examples
    --------
    >>> read_choice("beta-gp-sl:supervision=gamma,use_ard=true")
    {'name': 'beta-gp-sl', 'supervision': 'gamma', 'use_ard': True}
    >>> read_choice("beta-gp:hidden_widths=[64,64]")
    {'name': 'beta-gp', 'hidden_widths': [64, 64]}
    >>> read_choice({"name": "constant:kappa_from=all", "level": 0.8})
    {'name': 'constant', 'kappa_from': 'all', 'level': 0.8}
    >>> read_choice("my_package:Mine")
    'my_package:Mine'
    """
    if isinstance(choice, str):
        return _read_text(choice)
    named = choice.get("name")
    read = _read_text(named) if isinstance(named, str) else named
    if not isinstance(read, dict):
        return dict(choice)
    beside = {key: value for key, value in choice.items() if key != "name"}
    for key in beside:
        if key in read:
            raise InputError(
                f"setting {key!r} must be given once; got it in {named!r} and beside it."
            )
    return read | beside


def _read_text(text: str) -> str | dict[str, Any]:
    name, _, settings = text.rpartition(":")
    if not name or "=" not in settings:
        return text
    table: dict[str, Any] = {"name": name}
    for part in _COMMA.split(settings):
        key, is_pair, value = part.partition("=")
        if not is_pair or not key.isidentifier() or key in table:
            raise InputError(
                f"settings in {text!r} must be key=value, each key once and parted by "
                f"commas; got {part!r}."
            )
        table[key] = toml_value(value)
    return table
