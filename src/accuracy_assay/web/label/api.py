"""Labelling over HTTP: ask, tell, skip, undo; for the page and for any other tool."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from accuracy_assay.errors import InputError
from accuracy_assay.session.requests import GiveBack, Skip, Tell, Undo
from accuracy_assay.web.access import Person
from accuracy_assay.web.label.items import Item, items_of
from accuracy_assay.web.room import Room

__all__ = ["label_routes"]

_MOST = 1_000
"""Answers or instances in one request: far more than a page sends, and quickly done."""
_MOST_HELD = 200
"""Instances that one person holds: what many hold is locked for everyone else."""
_LONGEST = 10_000
"""Characters of an answer or an id."""

Text = Annotated[str, Field(min_length=1, max_length=_LONGEST)]


class Asking(BaseModel):
    """How many instances are wanted."""

    n: int = Field(default=1, ge=1, le=_MOST_HELD)


class Answered(BaseModel):
    """One answer: a label, the attributes that were confirmed with it, and how long it took."""

    id: Text
    label: Text
    attributes: dict[Text, Text] = Field(default_factory=dict, max_length=100)
    seconds: float | None = Field(default=None, ge=0.0, le=1e9, allow_inf_nan=False)


class Telling(BaseModel):
    """Answers; ``replace`` says that they may replace earlier ones of the same annotator."""

    answers: list[Answered] = Field(min_length=1, max_length=_MOST)
    replace: bool = False


class Naming(BaseModel):
    """Instances, by their ids."""

    ids: list[Text] = Field(min_length=1, max_length=_MOST)
    reason: str = Field(default="", max_length=_LONGEST)


class Items(BaseModel):
    """Instances; ``end`` says why there are none, where there will be no more."""

    items: list[Item]
    end: str | None = None


class Recorded(BaseModel):
    """How many answers were new; 0 where all of them had been told before."""

    recorded: int


def label_routes(room: Room) -> APIRouter:
    """Return the routes of labelling, for one assay."""
    routes = APIRouter(prefix="/api", tags=["labelling"])

    @routes.post("/ask")
    async def ask(wanted: Asking, person: Person) -> Items:
        """Give instances that are most worth a label; nobody else gets them meanwhile."""
        held = await run_in_threadpool(room.assay.session.n_held, person.annotator)
        if held + wanted.n > _MOST_HELD:
            raise InputError(
                f"annotator must hold at most {_MOST_HELD} instances; got {held} and {wanted.n} "
                "more. Answer some, or give them back."
            )
        ids = await asyncio.wrap_future(room.desk.ask(wanted.n, person.annotator))
        return await run_in_threadpool(_items, room, ids, person.annotator)

    @routes.get("/pending")
    def pending(person: Person) -> Items:
        """Return what this annotator holds and has not answered."""
        return Items(items=items_of(room, room.assay.pending(person.annotator)["id"]))

    @routes.get("/answers")
    def answers(person: Person, n: Annotated[int, Query(ge=1, le=_MOST)] = 20) -> Items:
        """Return this annotator's last answers, the latest first."""
        with room.assay.session.journal.reading() as ledger:
            told = ledger.last_answers(person.annotator, n)
        return Items(items=items_of(room, told, told))

    @routes.post("/tell")
    async def tell(told: Telling, person: Person) -> Recorded:
        """Record answers: all of them or none; they are on disk when this returns."""
        request = Tell(
            person.annotator,
            tuple(answer.id for answer in told.answers),
            tuple(answer.label for answer in told.answers),
            [answer.attributes for answer in told.answers],
            tuple(answer.seconds for answer in told.answers),
            told.replace,
        )
        new = await asyncio.wrap_future(room.desk.send(request))
        return Recorded(recorded=len(new))

    @routes.post("/skip")
    async def skip(named: Naming, person: Person) -> Recorded:
        """Give instances back; this annotator is not asked for them again."""
        request = Skip(person.annotator, tuple(named.ids), named.reason)
        ids = await asyncio.wrap_future(room.desk.send(request))
        return Recorded(recorded=len(ids))

    @routes.post("/give-back")
    async def give_back(named: Naming, person: Person) -> Recorded:
        """Give instances back; anybody may be asked for them."""
        request = GiveBack(person.annotator, tuple(named.ids))
        ids = await asyncio.wrap_future(room.desk.send(request))
        return Recorded(recorded=len(ids))

    @routes.post("/undo")
    async def undo(person: Person) -> Items:
        """Take back this annotator's last answer, who then holds the instance again."""
        ids = await asyncio.wrap_future(room.desk.send(Undo(person.annotator)))
        return Items(items=await run_in_threadpool(items_of, room, ids))

    return routes


def _items(room: Room, ids: tuple[str, ...], annotator: str) -> Items:
    """Return instances that were given; why there are none where there are none."""
    if ids:
        return Items(items=items_of(room, ids))
    why = room.assay.end(annotator) or "everything that is left is held by others"
    return Items(items=[], end=why)
