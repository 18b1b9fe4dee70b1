"""``--set key=value``: settings of the methods that a command names.

A key is ``estimator.level``, or ``level`` where only one of the methods has such a setting. A
value is read as TOML writes it (``0.95``, ``true``, ``[16, 64]``); what is no TOML is text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from accuracy_assay.cli.parse import split_pairs
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.registry import settings_of
from accuracy_assay.runtime.settings import toml_value

__all__ = ["with_settings"]


def with_settings(methods: Mapping[str, str], texts: Sequence[str] | None) -> dict[str, Any]:
    """Return the methods by what they are, each a name or a table with its settings.

    Parameters
    ----------
    methods
        Names by what they are: ``estimator``, ``strategy``, ``calibration``.
    texts
        What ``--set`` was given.

    Examples
    --------
    >>> with_settings({"estimator": "constant"}, ["level=0.95"])
    {'estimator': {'name': 'constant', 'level': 0.95}}
    """
    chosen: dict[str, Any] = dict(methods)
    for key, text in split_pairs(texts or [], "a setting", "key=value"):
        kind, setting = _owner(key, methods)
        table = chosen[kind] if isinstance(chosen[kind], dict) else {"name": chosen[kind]}
        if setting in table:
            raise InputError(f"setting {key!r} must be given once; got {text!r} as well.")
        chosen[kind] = {**table, setting: toml_value(text)}
    return chosen


def _owner(key: str, methods: Mapping[str, str]) -> tuple[str, str]:
    """Return which method a key belongs to, and the setting's own name."""
    kind, is_full, setting = key.partition(".")
    if is_full:
        if kind not in methods:
            raise UnknownNameError(f"method of the setting {key!r}", kind, methods)
        return kind, setting
    known = {kind: settings_of(kind, name) for kind, name in methods.items()}
    owners = [kind for kind, names in known.items() if key in names]
    if len(owners) > 1:
        full = " or ".join(f"{kind}.{key}" for kind in owners)
        raise InputError(f"setting {key!r} must say whose it is; got no method. Write {full}.")
    if not owners:
        every = [name for names in known.values() for name in names]
        raise UnknownNameError(f"setting of {' and '.join(methods.values())}", key, every)
    return owners[0], key
