"""The address of a call: the spec names its host, and a row's values stay where they are put.

A value in the path is part of one segment, and a value in the query is part of one parameter:
``/``, ``..``, ``&``, ``#`` and ``@`` in a row are text, never structure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from accuracy_assay.errors import InputError
from accuracy_assay.services.template import COLUMN

__all__ = ["Address", "refuse_rows_in_host"]

_PARTS = re.compile(r"(?P<scheme>[^:/?#]+)://(?P<host>[^/?#\\]*)(?P<path>[^?#]*)(?P<query>.*)")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s\[\]:@\\%<>\"^`|{}$]+)(:(?P<port>[0-9]{1,5}))?")
_LARGEST_PORT = 65535
"""Ports have 16 bits."""
_STRAY = re.compile(r"[\x00-\x20\x7f\\{}]")
"""What no address holds, once its columns are taken out."""


@dataclass(frozen=True)
class Address:
    """A checked template of addresses.

    Examples
    --------
    >>> address = Address.read("https://host/v1/{id}?text={text}", "url")
    >>> address.fill({"id": "../x", "text": "AT&T is #1"})
    'https://host/v1/%2E%2E%2Fx?text=AT%26T%20is%20%231'
    """

    origin: str
    path: str
    query: str

    @classmethod
    def read(cls, text: str, what: str) -> Address:
        """Return the template; messages call it ``what`` and do not show it.

        Raises
        ------
        InputError
            If it is not an http or https address, or its host would come from a row.
        """
        never_shown = "it is not shown, since it may hold a secret"
        parts = _PARTS.fullmatch(text)
        if parts is None or parts["scheme"].lower() not in ("http", "https"):
            raise InputError(
                f"{what} must be an address such as https://host/path?text={{column}}; got "
                f"another text ({never_shown})."
            )
        if column := COLUMN.search(parts["host"]):
            raise InputError(
                f"{what} must name its host itself; got one with {column[0]!r}, which would let a "
                "row say where the call goes. Put columns into the path, the query or the request."
            )
        if "@" in parts["host"]:
            raise InputError(
                f"{what} must hold no user and no secret; got one before '@'. Send it as a "
                "header, such as { Authorization = 'Bearer ${API_KEY}' }."
            )
        host = _HOST.fullmatch(parts["host"])
        if host is None or int(host["port"] or 0) > _LARGEST_PORT:
            raise InputError(
                f"{what} must have a host and, if it has a port, a number up to {_LARGEST_PORT}; "
                f"got another ({never_shown})."
            )
        if "#" in parts["query"] or _STRAY.search(COLUMN.sub("", text)):
            raise InputError(
                f"{what} must have no '#', backslash, space, control character or single brace; "
                f"got one ({never_shown}). Write %23 for a '#' and %20 for a space."
            )
        return cls(f"{parts['scheme'].lower()}://{parts['host']}", parts["path"], parts["query"])

    def fill(self, row: Mapping[str, Any]) -> str:
        """Return the address of a row.

        Raises
        ------
        ValueError
            If a segment of the path would be empty or made of dots, which means another address.
        """
        segments = [_fill_segment(segment, row) for segment in self.path.split("/")]
        query = COLUMN.sub(lambda match: _encoded(row[match[1]]), self.query)
        return f"{self.origin}{'/'.join(segments)}{query}"


def refuse_rows_in_host(headers: Mapping[str, str], what: str) -> None:
    """Raise an error if the header that names a host would come from a row."""
    for name, text in headers.items():
        if name.strip().lower() == "host" and COLUMN.search(text):
            raise InputError(
                f"header {name!r} of {what} must name a host itself; got one with a column, which "
                "would let a row say where the call goes."
            )


def _fill_segment(segment: str, row: Mapping[str, Any]) -> str:
    filled = COLUMN.sub(lambda match: _encoded(row[match[1]]), segment)
    if filled != segment and unquote(filled) in ("", ".", ".."):
        raise ValueError(
            f"the part {segment!r} of the path must not become {unquote(filled)!r}, which means "
            "another address; send such values in the query or the request"
        )
    # Dots beside dots are encoded too: a server may take an encoded slash for a slash.
    return filled if filled == segment else filled.replace("..", "%2E%2E")


def _encoded(value: Any) -> str:
    return "" if value is None else quote(str(value), safe="")
