"""A message to an address of the web: one POST of JSON that either arrives or says why not."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.secrets import hide_secrets

if TYPE_CHECKING:
    import httpx

__all__ = ["post_json", "require_web_address"]

_SECONDS, _MOST_BYTES = 20.0, 2**20
"""How long an answer is waited for, and how long it may be; nobody reads it."""


def require_web_address(url: str) -> None:
    """Raise an error if an address is not one of the web, before there is anything to post."""
    if not url.startswith(("http://", "https://")):
        raise InputError(
            f"webhook must begin with http:// or https://; got {hide_secrets(url)!r}."
        )


def post_json(url: str, value: object, transport: httpx.BaseTransport | None = None) -> str | None:
    """Post a value as JSON; return None once it has arrived, else why it has not.

    Parameters
    ----------
    url
        The address. It may hold a secret, which no message shows.
    value
        What is posted.
    transport
        What carries it; the network by default.

    Raises
    ------
    InputError
        If the address is not one of the web.
    """
    import httpx

    from accuracy_assay.runtime.http_client import AnswerError, BoundedClient, quiet_logs

    require_web_address(url)
    body = json.dumps(value, default=str, allow_nan=False).encode()
    headers: dict[str, Any] = {"Content-Type": "application/json"}
    with quiet_logs(), closing(BoundedClient(transport)) as client:
        try:
            request = httpx.Request("POST", url, content=body, headers=headers)
            answer = client.send(request, _SECONDS, _MOST_BYTES)
        except (httpx.HTTPError, httpx.InvalidURL, AnswerError) as error:
            return f"{type(error).__name__}: {hide_secrets(str(error))}"
    return None if answer.is_success else f"the server answered {answer.status}"
