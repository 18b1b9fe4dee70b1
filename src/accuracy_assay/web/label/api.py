"""Labelling over HTTP, for the page and for other tools: ask, tell, skip, undo."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import LIST_SIGN
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.frames import row_choices
from accuracy_assay.session.requests import GiveBack, Skip, Tell, Undo
from accuracy_assay.web.access import Person
from accuracy_assay.web.label.items import Item, items_of
from accuracy_assay.web.request_queue import RequestQueue

__all__ = ["NonEmptyText", "label_routes"]

_MOST = 1_000
"""Answers or instances per request: far more than a page sends, and quick to handle."""
_MOST_HELD = 200
"""Instances that one person may hold: nobody else can get them meanwhile."""
_LONGEST = 10_000
"""Characters of an answer or an id."""

NonEmptyText = Annotated[str, Field(min_length=1, max_length=_LONGEST)]


class Asking(BaseModel):
    """How many instances to get."""

    n: int = Field(default=1, ge=1, le=_MOST_HELD)


class Answered(BaseModel):
    """One answer: a label, the attributes confirmed with it, and how long it took."""

    id: NonEmptyText
    label: NonEmptyText
    attributes: dict[NonEmptyText, NonEmptyText] = Field(default_factory=dict, max_length=100)
    seconds: float | None = Field(default=None, ge=0.0, le=1e9, allow_inf_nan=False)


class Telling(BaseModel):
    """Answers; with ``replace`` they may change the annotator's earlier ones."""

    answers: list[Answered] = Field(min_length=1, max_length=_MOST)
    replace: bool = False


class Naming(BaseModel):
    """Instances by id."""

    ids: list[NonEmptyText] = Field(min_length=1, max_length=_MOST)
    reason: str = Field(default="", max_length=_LONGEST)


class Items(BaseModel):
    """Instances; if there are no more, ``end`` says why."""

    items: list[Item]
    end: str | None = None


class Recorded(BaseModel):
    """How many answers were new; 0 if all had been recorded before."""

    recorded: int


def label_routes(assay: Assay, queue: RequestQueue) -> APIRouter:
    """Return the routes for labelling one assay."""
    routes = APIRouter(prefix="/api", tags=["labelling"])

    @routes.post("/ask")
    async def ask(wanted: Asking, person: Person) -> Items:
        """Get the instances that are most worth a label; nobody else gets them meanwhile."""
        held = await run_in_threadpool(assay.session.n_held, person.annotator)
        if held + wanted.n > _MOST_HELD:
            raise InputError(
                f"annotator must hold at most {_MOST_HELD} instances; got {held} and {wanted.n} "
                "more. Answer some, or give them back."
            )
        ids = await asyncio.wrap_future(queue.ask(wanted.n, person.annotator))
        return await run_in_threadpool(_items, assay, ids, person.annotator)

    @routes.get("/pending")
    def pending(person: Person) -> Items:
        """Return what this annotator holds and has not answered."""
        return Items(items=items_of(assay, assay.pending(person.annotator)["id"]))

    @routes.get("/answers")
    def answers(person: Person, n: Annotated[int, Query(ge=1, le=_MOST)] = 20) -> Items:
        """Return this annotator's answers, the latest first."""
        with assay.session.journal.reading() as ledger:
            told = ledger.last_answers(person.annotator, n)
        return Items(items=items_of(assay, told, told))

    @routes.post("/tell")
    async def tell(told: Telling, person: Person) -> Recorded:
        """Record answers: all of them or none; they are on disk when this returns."""
        await run_in_threadpool(_check_choices, assay, told)
        request = Tell(
            person.annotator,
            tuple(answer.id for answer in told.answers),
            tuple(answer.label for answer in told.answers),
            [answer.attributes for answer in told.answers],
            tuple(answer.seconds for answer in told.answers),
            told.replace,
        )
        new = await asyncio.wrap_future(queue.send(request))
        return Recorded(recorded=len(new))

    @routes.post("/skip")
    async def skip(named: Naming, person: Person) -> Recorded:
        """Give instances back; this annotator won't get them again."""
        request = Skip(person.annotator, tuple(named.ids), named.reason)
        ids = await asyncio.wrap_future(queue.send(request))
        return Recorded(recorded=len(ids))

    @routes.post("/give-back")
    async def give_back(named: Naming, person: Person) -> Recorded:
        """Give instances back; anyone may get them."""
        request = GiveBack(person.annotator, tuple(named.ids))
        ids = await asyncio.wrap_future(queue.send(request))
        return Recorded(recorded=len(ids))

    @routes.post("/undo")
    async def undo(person: Person) -> Items:
        """Take back this annotator's last answer; they hold the instance again."""
        ids = await asyncio.wrap_future(queue.send(Undo(person.annotator)))
        return Items(items=await run_in_threadpool(items_of, assay, ids))

    return routes


def _check_choices(assay: Assay, told: Telling) -> None:
    """Refuse what is not among an instance's own choices, where it has some."""
    label = assay.session.last_parts.spec.label
    if not label.choices_from:
        return
    rows = assay.session.show([answer.id for answer in told.answers])
    known = {row["id"]: row_choices(label, row) for row in rows.iter_rows(named=True)}
    for answer in told.answers:
        given = answer.label.split(LIST_SIGN) if label.kind == "several" else [answer.label]
        for part in (text.strip() for text in given):
            if part not in known[answer.id]:
                raise UnknownNameError(f"label for instance {answer.id!r}", part, known[answer.id])


def _items(assay: Assay, ids: tuple[str, ...], annotator: str) -> Items:
    """Return the instances that were given, or why there are none."""
    if ids:
        return Items(items=items_of(assay, ids))
    why = assay.end(annotator) or "others hold everything that is left"
    return Items(items=[], end=why)
