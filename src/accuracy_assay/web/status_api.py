"""Where the assay stands, over HTTP, and as server-sent events for those who watch."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from accuracy_assay.session.status import Status
from accuracy_assay.web.access import Door, Person
from accuracy_assay.web.room import Room

__all__ = ["status_routes"]

_MOST_WATCHERS = 500
"""Open streams: each costs a connection, and a team is smaller than that."""
_MOST_OF_ONE = 30
"""Open streams of one person, who would otherwise take those of all others."""
_ALIVE_S = 15.0
"""Pause after which a stream says that it is alive, so that nothing between closes it."""


class Service(BaseModel):
    """One service: its overall accuracy with its interval, and the error to expect.

    None where an annotator asks, or nothing is fitted yet.
    """

    name: str
    predicted: int
    fitted_labels: int | None = None
    expected_macro_mse: float | None = None
    labels_to_halve: float | None = None
    half_width: float | None = None


class Standing(BaseModel):
    """Where the assay stands; what an annotator need not know is left out for annotators."""

    name: str
    annotator: str
    role: str
    labels: int
    budget: int
    spent: int
    own: int
    held: int
    pool: int
    stop: dict[str, Any] | None
    services: list[Service]


def status_routes(room: Room) -> APIRouter:
    """Return the routes of the status, for one assay."""
    routes = APIRouter(prefix="/api", tags=["status"])
    watching: Counter[str] = Counter()

    @routes.get("/status")
    def status(person: Person) -> Standing:
        """Return where the assay stands."""
        found = room.assay.status()
        return Standing(
            name=found.name,
            annotator=person.annotator,
            role=person.role,
            labels=found.labels,
            budget=found.budget,
            spent=found.spent,
            own=found.annotators.get(person.annotator, 0),
            held=found.held,
            pool=found.pool,
            stop=None if found.stop is None else dict(found.stop),
            services=_services(found) if person.is_admin else [],
        )

    @routes.get("/live", response_class=StreamingResponse, include_in_schema=False)
    async def live(request: Request, person: Person) -> StreamingResponse:
        """Send an event named ``surface`` whenever a label has come or a fit is done."""
        is_full = room.live.n_watchers >= _MOST_WATCHERS
        if is_full or watching[person.annotator] >= _MOST_OF_ONE:
            raise HTTPException(503, "too many watch already; close a page.")
        door: Door = request.app.state.door

        async def is_welcome() -> bool:
            return await door.recognise(request) is not None

        async def counted() -> AsyncIterator[str]:
            watching[person.annotator] += 1
            try:
                async with aclosing(_news(room, is_welcome)) as news:
                    async for text in news:
                        yield text
            finally:
                watching[person.annotator] -= 1

        return StreamingResponse(counted(), media_type="text/event-stream")

    return routes


def _services(found: Status) -> list[Service]:
    return [
        Service(
            name=service.name,
            predicted=service.predicted,
            fitted_labels=service.fitted_labels,
            expected_macro_mse=service.expected_macro_mse,
            labels_to_halve=service.labels_to_halve,
            half_width=service.half_width,
        )
        for service in found.services
    ]


async def _always() -> bool:
    return True


async def _news(
    room: Room, is_welcome: Callable[[], Awaitable[bool]] = _always
) -> AsyncGenerator[str]:
    """Yield what changes, from now on, as long as who hears it is welcome."""
    with room.live.watching() as watcher:
        yield _event(await asyncio.to_thread(room.live.news))
        while True:
            try:
                news = await asyncio.wait_for(watcher.get(), _ALIVE_S)
                while not watcher.empty():  # who is slow wants the latest only
                    news = watcher.get_nowait()
                text = _event(news)
            except TimeoutError:
                text = ": alive\n\n"
            if not await is_welcome():
                return
            yield text


def _event(news: dict[str, int]) -> str:
    return f"event: surface\ndata: {json.dumps(news)}\n\n"
