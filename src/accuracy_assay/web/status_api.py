"""The status of the assay over HTTP, and live updates as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from accuracy_assay.session.assay import Assay
from accuracy_assay.web.access import Authenticator, Person
from accuracy_assay.web.live import LiveUpdates

__all__ = ["status_routes"]

_MOST_OF_ONE = 30
"""Open streams of one person, who could otherwise use up everyone's."""
_ALIVE_S = 15.0
"""Pause after which a stream sends a sign of life, so that no proxy closes it."""


class Service(BaseModel, from_attributes=True):
    """One service: its predictions and its last fit, as ``session.status.ServiceStatus`` has it.

    Values of the fit are None before there is one.
    """

    name: str
    predicted: int
    fitted_labels: int | None = None
    expected_macro_mse: float | None = None
    labels_to_halve: float | None = None
    half_width: float | None = None


class Standing(BaseModel):
    """The status of the assay; only admins get ``services``."""

    name: str
    annotator: str
    role: str
    labels: int
    budget: int
    spent: float
    own: int
    held: int
    pool: int
    stop: dict[str, Any] | None
    goal: str
    choosing: str
    services: list[Service]


def status_routes(assay: Assay, live: LiveUpdates, most_streams: int) -> APIRouter:
    """Return the routes of the status of one assay, with so many streams at once."""
    routes = APIRouter(prefix="/api", tags=["status"])
    watching: Counter[str] = Counter()

    @routes.get("/status")
    def status(person: Person) -> Standing:
        """Return the status of the assay."""
        found = assay.status()
        own = {
            "annotator": person.annotator,
            "role": person.role,
            "own": found.annotators.get(person.annotator, 0),
            "services": found.services if person.is_admin else (),
        }
        return Standing.model_validate({**found, **own})

    @routes.get("/live", response_class=StreamingResponse, include_in_schema=False)
    async def stream(request: Request, person: Person) -> StreamingResponse:
        """Send an event named ``surface`` after every label and every fit."""
        if watching.total() >= most_streams or watching[person.annotator] >= _MOST_OF_ONE:
            raise HTTPException(503, "too many pages are open; close one.")
        authenticator: Authenticator = request.app.state.authenticator

        async def is_welcome() -> bool:
            return await authenticator.recognise(request) is not None

        return _CountedStream(_news(live, is_welcome), watching, person.annotator)

    return routes


class _CountedStream(StreamingResponse):
    """A stream that is counted from the moment it is granted until it has ended."""

    def __init__(self, news: AsyncGenerator[str], watching: Counter[str], who: str) -> None:
        super().__init__(news, media_type="text/event-stream")
        self.news, self.watching, self.who = news, watching, who
        watching[who] += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with aclosing(self.news):
                await super().__call__(scope, receive, send)
        finally:
            self.watching[self.who] -= 1
            if not self.watching[self.who]:
                del self.watching[self.who]


async def _news(
    live: LiveUpdates, is_welcome: Callable[[], Awaitable[bool]]
) -> AsyncGenerator[str]:
    """Yield updates from now on, as long as the watcher is welcome."""
    with live.watching() as watcher:
        yield _event(await asyncio.to_thread(live.news))
        while True:
            try:
                news = await asyncio.wait_for(watcher.get(), _ALIVE_S)
                while not watcher.empty():  # a slow watcher wants the latest only
                    news = watcher.get_nowait()
                text = _event(news)
            except TimeoutError:
                text = ": alive\n\n"
            if not await is_welcome():
                return
            yield text


def _event(news: dict[str, int]) -> str:
    return f"event: surface\ndata: {json.dumps(news)}\n\n"
