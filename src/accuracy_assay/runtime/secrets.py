"""Secrets in names, values and texts: which names promise one, and texts with all struck out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = [
    "hide_secrets",
    "is_secret_name",
    "shown_error",
    "without_password",
    "written_secret",
]

_READ_CHARACTERS, _SHOWN_CHARACTERS = 10_000, 300
"""Of an error that is not ours: how much is searched for secrets, and the few lines shown. Secrets
are struck out before the text is cut, since half an address looks like none."""

_SECRET_NAME = re.compile(
    r"(password|passwd|passphrase|secret|credential|apikey)s?$"
    r"|(^|_)(pass|pw|pwd|auth|authorization|bearer|cookie|sig|signature|hmac|jwt|sas)$"
    r"|(api|app|access|account|admin|auth|client|consumer|encryption|functions|license|master"
    r"|private|project|secret|service|session|shared|signing|subscription)_?key$"
    r"|^(key|token)$"
    r"|(?<!pad)(?<!eos)(?<!bos)(?<!unk)(?<!sep)(?<!cls)(?<!mask)(?<!stop)(?<!start)(?<!end)"
    r"(?<!page)_token$"
    r"|(api|access|auth|bearer|bot|refresh|session)token$"
)
"""Names after which a secret stands, in small letters with underscores. Tokens of language
models (``pad_token``), of pages and ``max_tokens`` are not secrets."""
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FROM_ELSEWHERE = re.compile(r"\$\{\w+\}|^\{[^{}]+\}$")
"""A value that is no secret itself: it names an environment variable, or is a row's own."""
_CREDENTIAL = re.compile(r"\b(bearer|basic)(\s+)(?=[^\s'\"]*[0-9=])[\w.~+/=-]{8,}", re.IGNORECASE)
"""What follows ``Bearer`` in a header, where a digit tells it from a word of a sentence."""

_NOT_SPACE = r"[^\s'\"<>]{0,2000}"
_IN_ADDRESS = (
    # Up to the last '@': a password may hold any character where it was not encoded.
    re.compile(rf"\b((?!https?:)[a-z][a-z0-9+.-]{{0,30}}://){_NOT_SPACE}@", re.IGNORECASE),
    re.compile(
        rf"\b((?:postgres|mysql|mariadb)[a-z0-9+.-]{{0,30}}[:;]?/{{0,3}}){_NOT_SPACE}@", re.I
    ),
    re.compile(r"\b(https?:/{0,3})[^\s'\"<>/?#]*@", re.IGNORECASE),
    re.compile(rf"\b(https?:/{{0,3}})[^\s'\"<>/?#:@]+:(?![0-9]+[/?#]){_NOT_SPACE}@", re.I),
)
_SETTING = re.compile(
    r"(?P<before>(?P<mark>[?&;])?(?<![\w.%-])(?P<name>[\w.%-]+)\s?=\s?)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|\$?\{[^{}]+\}(?=[\s&;#]|$)|[^\s&;'\",)}\]]+)"
)
_ENTRY = re.compile(
    r"(?P<before>(?P<q>['\"])(?P<name>[\w.-]+)(?P=q)\s*:\s*)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\",)}\]]+)"
)


def is_secret_name(name: str) -> bool:
    """Return whether a header, parameter or setting of that name would hold a secret.

    Examples
    --------
    >>> [is_secret_name(n) for n in ("X-Api-Key", "clientSecret", "sig", "max_tokens", "keyword")]
    [True, True, True, False, False]
    """
    return _SECRET_NAME.search(re.sub(r"[-.\s]", "_", _WORDS.sub("_", name)).lower()) is not None


def written_secret(value: Any, name: str = "") -> str | None:
    """Return the dotted name of the first secret that is written out in nested tables, if any.

    Examples
    --------
    >>> written_secret({"auth": {"api_key": "abc"}, "max_tokens": 5})
    'auth.api_key'
    >>> written_secret({"api_key": "${KEY}", "token": "{word}"}) is None
    True
    """
    if isinstance(value, Mapping):
        entries = [(f"{name}.{key}" if name else str(key), v) for key, v in value.items()]
    elif isinstance(value, list | tuple):
        entries = [(name, v) for v in value]
    else:
        return name if _is_written(name.rpartition(".")[2], value) else None
    return next((found for key, v in entries if (found := written_secret(v, key))), None)


def hide_secrets(text: str) -> str:
    """Return a text in which no password, key or token of a usual form can be read.

    Examples
    --------
    >>> hide_secrets("no answer from postgresql://ann:hunter2@host/db?password=hunter2")
    'no answer from postgresql://***@host/db?password=***'
    """
    for pattern in _IN_ADDRESS:
        text = pattern.sub(r"\1***@", text)
    text = _CREDENTIAL.sub(r"\1\2***", text)
    for pattern in (_SETTING, _ENTRY):
        text = pattern.sub(_struck_out, text)
    return text


def shown_error(error: BaseException) -> str:
    """Return kind and message of an error that is not ours, short and without secrets.

    Examples
    --------
    >>> shown_error(ValueError("no answer from http://host/x?sig=abc"))
    'ValueError: no answer from http://host/x?sig=***'
    """
    text = hide_secrets(f"{type(error).__name__}: {error}"[:_READ_CHARACTERS])
    is_short = len(text) <= _SHOWN_CHARACTERS
    return text if is_short else f"{text[: _SHOWN_CHARACTERS - 3]}..."


def without_password(address: str) -> str:
    """Return an address without its user, password and query: what may be shown and kept.

    Examples
    --------
    >>> without_password("postgresql://ann:hunter2@host:5432/db?password=hunter2")
    'postgresql://host:5432/db'
    """
    return hide_secrets(address).replace("***@", "").partition("?")[0]


def _is_written(name: str, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        return False
    if is_secret_name(name):
        return not (isinstance(value, str) and _FROM_ELSEWHERE.search(value))
    return isinstance(value, str) and hide_secrets(value) != value


def _struck_out(match: re.Match[str]) -> str:
    groups = match.groupdict()
    # "key=value" is how many messages write any setting; in a query it is a key.
    is_any_setting = groups["name"].lower() == "key" and not groups.get("mark")
    is_secret = is_secret_name(groups["name"]) and not is_any_setting
    is_example = groups["value"].startswith("...")
    if not is_secret or is_example or _FROM_ELSEWHERE.search(groups["value"]):
        return match[0]
    return f"{groups['before']}***"
