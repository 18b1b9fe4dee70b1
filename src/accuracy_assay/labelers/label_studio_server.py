"""Calls to a Label Studio server, each of which ends in an answer or in an error that says why.

Calls that may be repeated without harm (reading, changing, deleting) are retried. A call that adds
something is made once: nobody knows whether a failed call arrived, so its caller looks before it
adds again.

A token of three parts separated by dots is a personal access token: it is exchanged for one that
expires after a few minutes, as often as needed. Any other is a legacy token, sent as it is. No
message shows either.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.runtime.http_client import Answer, AnswerError, BoundedClient
from accuracy_assay.runtime.http_retries import Patience, send_patiently
from accuracy_assay.runtime.secrets import hide_secrets, without_password

__all__ = ["TOKEN_VARIABLE", "LabelStudioServer"]

TOKEN_VARIABLE = "LABEL_STUDIO_API_KEY"
"""Environment variable of the token, by the name that Label Studio's own tools use."""
_RETRIES = 4
"""With pauses of 7.5 seconds in all, in which a server that restarts behind its proxy is back.
Whoever polls tries again anyway."""
_MAX_BYTES = 2**28
"""Of an answer: a page of 200 tasks takes a few megabytes, unless their data are files."""
_READ_CHARACTERS, _SHOWN_CHARACTERS = 10_000, 300
"""Of a refusal: how much is searched for secrets, and what is shown. Label Studio names the field
and what is wrong with it in less."""


class LabelStudioServer:
    """A server at an address, called with a token.

    Parameters
    ----------
    url
        Address of the server, such as ``http://localhost:8080``; a path behind the host is kept.
    token
        Personal access token or legacy token of a user who may change the project.
    timeout_s
        Seconds in which a call must be answered.
    transport, sleep
        Replaced in tests.

    Raises
    ------
    InputError
        If the address is not http or https, or holds a user, a query or a fragment.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_s: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self.url = _checked(url)
        self.timeout_s = timeout_s
        self._token = _checked_token(token)
        self._pass = "" if _is_personal(self._token) else f"Token {self._token}"
        self._sleep = time.sleep if sleep is None else sleep
        self._client = BoundedClient(transport)

    @property
    def place(self) -> str:
        """Host, port and path: what tells this server from others."""
        return self.url.partition("://")[2]

    def get(self, path: str, **query: Any) -> Any:
        """Return the object at a path."""
        return self._call("GET", path, query=query)

    def change(self, path: str, content: Mapping[str, Any]) -> Any:
        """Change some fields of the object at a path."""
        return self._call("PATCH", path, content)

    def delete(self, path: str, content: Mapping[str, Any]) -> Any:
        """Delete the object at a path."""
        return self._call("DELETE", path, content)

    def add(self, path: str, content: Any, **query: Any) -> Any:
        """Add something, in one attempt."""
        return self._call("POST", path, content, query=query)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _call(
        self, method: str, path: str, content: Any = None, query: Mapping[str, Any] | None = None
    ) -> Any:
        if not self._pass:
            self._swap_token()
        answer = self._send(method, path, content, query)
        if answer.status == 401 and _is_personal(self._token):
            self._swap_token()
            answer = self._send(method, path, content, query)
        return self._read(answer, f"{method} {path}")

    def _swap_token(self) -> None:
        """Get the short-lived token that a personal access token stands for."""
        path = "/api/token/refresh/"
        answer = self._send("POST", path, {"refresh": self._token}, may_repeat=True)
        access = self._read(answer, f"POST {path}").get("access")
        if not isinstance(access, str) or not access:
            raise self._failed("give a token in return for the personal access token", "none")
        self._pass = f"Bearer {access}"

    def _send(
        self,
        method: str,
        path: str,
        content: Any = None,
        query: Mapping[str, Any] | None = None,
        *,
        may_repeat: bool = False,
    ) -> Answer:
        """Return the last answer; raise an error where none came."""
        request = httpx.Request(
            method,
            self.url + path,
            params=query or None,
            content=None if content is None else json.dumps(content, default=str),
            headers=self._headers(),
        )
        retries = 0 if method == "POST" and not may_repeat else _RETRIES
        patience = Patience(self.timeout_s, _MAX_BYTES, retries, sleep=self._sleep)
        try:
            got, _ = send_patiently(self._client, request, patience)
        except AnswerError as error:
            raise self._failed(f"answer {method} {path}", str(error).partition(". ")[0]) from None
        if isinstance(got, Answer):
            return got
        raise self._failed(
            f"answer {method} {path}", f"{type(got).__name__}: {got}", "Is it running?"
        )

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        return headers | ({"Authorization": self._pass} if self._pass else {})

    def _read(self, answer: Answer, call: str) -> Any:
        """Return the JSON of an answer, or raise the error that fits its status."""
        if not answer.is_success:
            raise self._refusal(answer, call)
        if not answer.content:
            return None
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            raise InputError(
                f"{self._name} must answer {call} with JSON; got {self._shown(answer)}. Is it "
                "Label Studio?"
            ) from None

    def _refusal(self, answer: Answer, call: str) -> InputError | ServiceError:
        status, said = answer.status, self._shown(answer)
        if status in (401, 403):
            return InputError(
                f"{TOKEN_VARIABLE} must be a token that {self._name} takes; got {said}. Make one "
                "under Account & Settings, Access Tokens; legacy tokens must be allowed under "
                "Organization, Access Token Settings."
            )
        if 300 <= status < 400:
            to = without_password(answer.headers.get("Location", "elsewhere"))
            return InputError(
                f"url must be the address of Label Studio itself; got {self.url!r}, which sends "
                f"callers to {to}. Use that address."
            )
        if answer.is_passing:
            return self._failed(f"answer {call}", said, "Look at its log.")
        return InputError(f"{self._name} must accept {call}; got {said}.")

    @property
    def _name(self) -> str:
        return f"Label Studio at {self.url}"

    def _failed(self, rule: str, got: str, hint: str = "") -> ServiceError:
        return ServiceError(f"{self._name} must {rule}; got {self._hide(got)}. {hint}".rstrip())

    def _shown(self, answer: Answer) -> str:
        """Return status and reasons of a refusal, or how it begins."""
        text = answer.content.decode("utf-8", "replace")
        try:
            content = json.loads(text)
        except ValueError:
            content = None
        if isinstance(content, Mapping) and "detail" in content:
            reasons = content.get("validation_errors")
            text = f"{content['detail']} {json.dumps(reasons) if reasons else ''}".strip()
        shown = self._hide(" ".join(text[:_READ_CHARACTERS].split()))[:_SHOWN_CHARACTERS]
        return f"{answer.status}: {shown.rstrip('.')}"

    def _hide(self, text: str) -> str:
        for secret in (self._token, self._pass.partition(" ")[2]):
            text = text.replace(secret, "***") if secret else text
        return hide_secrets(text)


def _is_personal(token: str) -> bool:
    return token.count(".") == 2


def _checked(url: str) -> str:
    """Return the address of a server without a slash at its end."""
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        parts = httpx.URL("")
    if parts.scheme not in ("http", "https") or not parts.host:
        raise InputError(
            "url must be the address of Label Studio, such as http://localhost:8080; got "
            f"{without_password(url)!r}."
        )
    if parts.userinfo or parts.query or parts.fragment:
        raise InputError(
            "url must be the address of Label Studio alone; got one with a user, a query or a "
            f"fragment, which is not shown. The token comes from {TOKEN_VARIABLE}."
        )
    return url.rstrip("/")


def _checked_token(token: str) -> str:
    """Return a token without space around it; a header holds one line of plain characters."""
    plain = token.strip()
    if not plain:
        raise InputError(
            f"environment variable {TOKEN_VARIABLE} must hold a token of Label Studio; got none. "
            f"Set it with: export {TOKEN_VARIABLE}=..."
        )
    if not plain.isascii() or not plain.isprintable() or " " in plain:
        raise InputError(
            f"{TOKEN_VARIABLE} must be one word of plain characters; got another text, which is "
            "not shown."
        )
    return plain
