"""Who sends a request, and whether they may: by session cookie, or by token in a header."""

from __future__ import annotations

import hashlib
import hmac
import math
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, HTTPException, Request, Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool

from accuracy_assay.session.access_book import Access
from accuracy_assay.session.admission import DAYS
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.guard import SAFE_METHODS, TOO_OFTEN, RateLimit

__all__ = [
    "Admin",
    "Authenticator",
    "Person",
    "Viewer",
    "limit_stranger",
    "require_admin",
    "require_person",
    "require_viewer",
]

_DAY_S = 86_400


@dataclass(frozen=True)
class Authenticator:
    """Recognises people by their session or token.

    Parameters
    ----------
    assay
        The assay.
    cookie
        Name of the session cookie. Browsers keep cookies by host and ignore the port, so the name
        tells two servers on one machine apart.
    everyone
        Who everybody is on a server without tokens; None if a token is required.
    secret
        Key of the CSRF tokens on a server without sessions; else they come from the session.
    person_limit, stranger_limit
        Requests that one person may send, and invalid tokens that one address may try: far more
        than a person needs, far fewer than guessing takes.
    """

    assay: Assay
    cookie: str
    everyone: Access | None = None
    secret: str = ""
    person_limit: RateLimit = field(default_factory=lambda: RateLimit(50.0, 200.0))
    stranger_limit: RateLimit = field(default_factory=lambda: RateLimit(2.0, 20.0))

    def session(self, request: Request) -> str:
        """Return the session that the browser sent; empty if none."""
        return request.cookies.get(self.cookie, "")

    async def recognise(self, request: Request) -> Access | None:
        """Return who sent a request; None if unknown.

        Someone new to this process is looked up in the store, where another process may have
        invited them.

        Raises
        ------
        HTTPException
            If a page asks for a change without its CSRF token.
        """
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return await self._find(token.strip())
        session = self.session(request)
        known = self.everyone or (await self._find(session) if session else None)
        if known is not None and request.method not in SAFE_METHODS:
            sent = request.headers.get("x-csrf-token", "")
            if not hmac.compare_digest(sent.encode(), self.csrf(session).encode()):
                raise HTTPException(403, "X-CSRF-Token must be the page's own. Reload the page.")
        return known

    async def _find(self, token: str) -> Access | None:
        admission = self.assay.admission
        return admission.glance(token) or await run_in_threadpool(admission.who, token)

    def csrf(self, session: str) -> str:
        """Return the CSRF token that the pages of a session must send."""
        key = (self.secret + session).encode()
        return hmac.new(key, b"assay forms", hashlib.sha256).hexdigest()

    def set_session(self, response: Response, session: str, *, is_https: bool) -> None:
        """Set the session cookie."""
        response.set_cookie(
            self.cookie,
            session,
            max_age=int(DAYS * _DAY_S),
            httponly=True,
            samesite="lax",
            secure=is_https,
        )


_token = HTTPBearer(auto_error=False, description="A token that `assay invite --token` made.")


async def require_person(
    request: Request, _: Annotated[HTTPAuthorizationCredentials | None, Security(_token)]
) -> Access:
    """Return who sent a request; refuse strangers."""
    authenticator: Authenticator = request.app.state.authenticator
    known = await authenticator.recognise(request)
    if known is None:
        limit_stranger(request)
        raise HTTPException(
            401,
            "a link or token must be valid; got none, or one that was used, expired or revoked. "
            "Ask for a new one.",
            {"WWW-Authenticate": "Bearer"},
        )
    _check(authenticator.person_limit, known.annotator)
    if request.method not in SAFE_METHODS and not known.may_change:
        raise HTTPException(403, "your link is for looking only; ask for one to label with.")
    return known


def limit_stranger(request: Request) -> None:
    """Refuse an address that has tried too many invalid tokens."""
    authenticator: Authenticator = request.app.state.authenticator
    _check(authenticator.stranger_limit, request.client.host if request.client else "")


def _check(limit: RateLimit, who: str) -> None:
    if seconds := limit.wait(who):
        raise HTTPException(429, TOO_OFTEN, {"Retry-After": str(math.ceil(seconds))})


Person = Annotated[Access, Depends(require_person)]


async def require_admin(person: Person) -> Access:
    """Return who sent a request; refuse everyone but admins."""
    if not person.is_admin:
        raise HTTPException(403, "this is for admins; ask for an admin link.")
    return person


async def require_viewer(person: Person) -> Access:
    """Return who sent a request; refuse those who may not see the surface."""
    if not person.sees_surface:
        raise HTTPException(403, "this is for admins and readers; ask for a link of theirs.")
    return person


Admin = Annotated[Access, Depends(require_admin)]
Viewer = Annotated[Access, Depends(require_viewer)]
