"""Requests by example: texts with ``{column}`` for a row's value, ``${NAME}`` for a secret.

``{{`` and ``}}`` stand for the braces themselves, as in a prompt that shows some JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.secrets import hide_secrets

__all__ = ["COLUMN", "Secrets", "columns_of", "fill", "find"]

COLUMN = re.compile(r"(?<!\$)\{([^{}]+)\}")
_PART = re.compile(r"\$\{(?P<secret>\w+)\}|\{\{|\}\}|(?<!\$)\{(?P<column>[^{}]+)\}")
"""What is replaced in a text, in one pass: replacements are not read again."""
_POSITION = re.compile(r"[0-9]{1,9}")
_TELLING_LENGTH = 6
"""Least characters of a secret whose presence in an answer is no coincidence, chosen by hand: the
shortest password that services accept."""


class Secrets:
    """Values from the environment, put into requests and taken out of every message."""

    def __init__(self, environment: Mapping[str, str], *templates: Any) -> None:
        self._values: dict[str, str] = {}
        for name in {n for template in templates for n in _names(template, "secret")}:
            if not environment.get(name):
                raise InputError(
                    f"environment variable {name!r} must be set, since the spec of the service "
                    f"uses it; got none. Set it with: export {name}=..."
                )
            self._values[name] = environment[name]

    def __getitem__(self, name: str) -> str:
        """Return the secret of a name."""
        return self._values[name]

    def hide(self, text: str) -> str:
        """Return a text in which no secret can be read."""
        # The longest first: one secret may begin with another.
        written = {form for value in self._values.values() for form in _forms(value)}
        for form in sorted(written, key=len, reverse=True):
            text = text.replace(form, "***")
        return hide_secrets(text)

    def are_in(self, text: str) -> bool:
        """Return whether a text holds one of the secrets; short ones may be plain words."""
        return any(len(v) >= _TELLING_LENGTH and v in text for v in self._values.values())


def columns_of(template: Any) -> set[str]:
    """Return the columns that a template uses.

    Examples
    --------
    >>> sorted(columns_of({"q": "{text}", "opts": ["{lang}", 3]}))
    ['lang', 'text']
    """
    return _names(template, "column")


def fill(template: Any, row: Mapping[str, Any], secrets: Secrets) -> Any:
    """Return a template with a row's values in it; ``"{column}"`` alone keeps the value's type."""
    if isinstance(template, Mapping):
        return {key: fill(value, row, secrets) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [fill(value, row, secrets) for value in template]
    if not isinstance(template, str):
        return template
    alone = COLUMN.fullmatch(template)
    if alone:
        value = row[alone[1]]
        return value if isinstance(value, str | int | float | bool | None) else str(value)

    def part(match: re.Match[str]) -> str:
        if match["secret"] is not None:
            return secrets[match["secret"]]
        return match[0][0] if match["column"] is None else str(row[match["column"]])

    return _PART.sub(part, template)


def find(answer: Any, path: str) -> Any:
    """Return the value at a dotted path in a JSON value.

    Raises
    ------
    LookupError
        If there is none.

    Examples
    --------
    >>> find({"results": [{"label": "cat"}]}, "results.0.label")
    'cat'
    """
    for step in path.split("."):
        if isinstance(answer, Mapping) and step in answer:
            answer = answer[step]
        elif _is_position(answer, step):
            answer = answer[int(step)]
        else:
            raise LookupError(step)
    return answer


def _is_position(answer: Any, step: str) -> bool:
    is_number = isinstance(answer, list) and _POSITION.fullmatch(step) is not None
    return is_number and int(step) < len(answer)


def _forms(secret: str) -> tuple[str, ...]:
    """Return the ways in which messages and addresses write a secret."""
    in_json, in_python = json.dumps(secret)[1:-1], repr(secret)[1:-1]
    return (secret, secret.strip(), quote(secret, safe=""), quote_plus(secret), in_json, in_python)


def _names(template: Any, kind: str) -> set[str]:
    """Return the names of all columns, or of all secrets, in a template."""
    if isinstance(template, Mapping):
        return {name for value in template.values() for name in _names(value, kind)}
    if isinstance(template, list | tuple):
        return {name for value in template for name in _names(value, kind)}
    if not isinstance(template, str):
        return set()
    return {match[kind] for match in _PART.finditer(template) if match[kind] is not None}
