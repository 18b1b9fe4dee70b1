"""Who makes a request, and whether they may: by a session's cookie, or a token in a header."""

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
from accuracy_assay.web.guard import Pace
from accuracy_assay.web.room import Room

__all__ = ["Admin", "Door", "Person", "hold_up_stranger", "require_admin", "require_person"]

_DAY_S = 86_400
_SAFE = ("GET", "HEAD", "OPTIONS")
_TOO_OFTEN = "too many requests; wait a moment."


@dataclass(frozen=True)
class Door:
    """Recognises people by what they carry.

    Parameters
    ----------
    room
        The assay.
    cookie
        Name of the session's cookie; browsers keep cookies by host without the port, so that the
        name tells one server on a machine from another.
    everyone
        Who everybody is where no token is wanted; None where one is.
    secret
        What makes the forms' tokens of such a server its own; others are made of the session.
    person_pace, stranger_pace
        How often someone may come, by name, and how often an address may try tokens that are none:
        far more than a person needs, and far less than guessing would.
    """

    room: Room
    cookie: str
    everyone: Access | None = None
    secret: str = ""
    person_pace: Pace = field(default_factory=lambda: Pace(50.0, 200.0))
    stranger_pace: Pace = field(default_factory=lambda: Pace(2.0, 20.0))

    def session(self, request: Request) -> str:
        """Return what the browser sent as its session, empty where it did not."""
        return request.cookies.get(self.cookie, "")

    async def recognise(self, request: Request) -> Access | None:
        """Return who makes a request, None where that is not known.

        Someone new to this process is looked up in the store, where another may have let them in.

        Raises
        ------
        HTTPException
            If a page asks for a change without the token of its forms.
        """
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return await self._find(token.strip())
        session = self.session(request)
        known = self.everyone or (await self._find(session) if session else None)
        if known is not None and request.method not in _SAFE:
            sent = request.headers.get("x-csrf-token", "")
            if not hmac.compare_digest(sent.encode(), self.csrf(session).encode()):
                raise HTTPException(403, "X-CSRF-Token must be that of the page. Load it again.")
        return known

    async def _find(self, token: str) -> Access | None:
        admission = self.room.assay.admission
        return admission.glance(token) or await run_in_threadpool(admission.who, token)

    def csrf(self, session: str) -> str:
        """Return the token that forms of a session must send along."""
        key = (self.secret + session).encode()
        return hmac.new(key, b"assay forms", hashlib.sha256).hexdigest()

    def let_in(self, response: Response, session: str, *, is_https: bool) -> None:
        """Give the browser a session."""
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
    """Return who makes a request; it must be someone."""
    door: Door = request.app.state.door
    known = await door.recognise(request)
    if known is None:
        hold_up_stranger(request)
        raise HTTPException(
            401,
            "a link or token must be valid; got none, or one that is used, over or revoked. Ask "
            "for a new one.",
            {"WWW-Authenticate": "Bearer"},
        )
    _wait(door.person_pace, known.annotator)
    return known


def hold_up_stranger(request: Request) -> None:
    """Refuse an address that has tried too many tokens that are none."""
    door: Door = request.app.state.door
    _wait(door.stranger_pace, request.client.host if request.client else "")


def _wait(pace: Pace, who: str) -> None:
    if seconds := pace.wait(who):
        raise HTTPException(429, _TOO_OFTEN, {"Retry-After": str(math.ceil(seconds))})


Person = Annotated[Access, Depends(require_person)]


async def require_admin(person: Person) -> Access:
    """Return who makes a request; it must be an admin."""
    if not person.is_admin:
        raise HTTPException(403, "this is for admins; ask for an admin's link.")
    return person


Admin = Annotated[Access, Depends(require_admin)]
