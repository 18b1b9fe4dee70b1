"""A choice in one text: a name, and settings after a colon, ``beta-gp-sl:supervision=gamma``."""

from typing import Any

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.settings import toml_value

__all__ = ["read_choice"]


def read_choice(text: str) -> str | dict[str, Any]:
    """Return a name as it is, or a name with settings as a table.

    Examples
    --------
    >>> read_choice("beta-gp-sl:supervision=gamma,use_ard=true")
    {'name': 'beta-gp-sl', 'supervision': 'gamma', 'use_ard': True}
    >>> read_choice("my_package:Mine")
    'my_package:Mine'
    """
    name, _, settings = text.rpartition(":")
    if not name or "=" not in settings:
        return text
    table: dict[str, Any] = {"name": name}
    for part in settings.split(","):
        key, is_pair, value = part.partition("=")
        if not is_pair or not key.isidentifier() or key in table:
            raise InputError(
                f"settings in {text!r} must be key=value, each key once and parted by "
                f"commas; got {part!r}."
            )
        table[key] = toml_value(value)
    return table
