"""Leading a team over HTTP: who did what, how well they agree, disputes, invitations."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, Field

from accuracy_assay.web.access import Admin
from accuracy_assay.web.label.api import Text
from accuracy_assay.web.label.items import Item, items_of
from accuracy_assay.web.room import Room

__all__ = ["team_routes"]

_SHOWN_DISPUTES = 50
"""Disputes that are sent at a time; the next follow once these are settled."""


class Member(BaseModel):
    """One annotator, as ``assay.team.Member`` has it."""

    name: str
    role: str | None
    answers: int
    held: int
    skipped: int
    agrees: float | None
    seconds: float | None


class Dispute(BaseModel):
    """An instance on which annotators disagree, and what each says."""

    item: Item
    answers: dict[str, str]


class Team(BaseModel):
    """Everybody, how well they agree, and the first disputes of ``n_disputes``."""

    members: list[Member]
    alpha: float | None
    shared: int
    n_disputes: int
    disputes: list[Dispute]


class Invitation(BaseModel):
    """Whom to invite, as what, for how long; a link for a browser or a token for a program."""

    annotator: str = Field(min_length=1, max_length=200)
    role: Literal["annotator", "admin"] = "annotator"
    days: float = Field(default=7.0, gt=0.0, le=366.0)
    kind: Literal["link", "token"] = "link"


class Invited(BaseModel):
    """A link to send, or a token to put into ``Authorization: Bearer``; shown this once."""

    annotator: str
    link: str | None = None
    token: str | None = None


class Settling(BaseModel):
    """What a disputed instance is."""

    id: Text
    label: Text


class Whose(BaseModel):
    """An annotator, by name."""

    annotator: str = Field(min_length=1, max_length=200)


class Done(BaseModel):
    """It is done."""

    done: bool = True


def team_routes(room: Room) -> APIRouter:
    """Return the routes of the team, for one assay."""
    routes = APIRouter(prefix="/api/team", tags=["team"])

    @routes.get("")
    def team(person: Admin) -> Team:
        """Return what each annotator has done, how well they agree, and what is disputed."""
        found = room.assay.team()
        first = found.disputes[:_SHOWN_DISPUTES]
        items = items_of(room, [dispute.id for dispute in first])
        return Team(
            members=[Member(**vars(member)) for member in found.members],
            alpha=found.alpha,
            shared=found.shared,
            n_disputes=len(found.disputes),
            disputes=[
                Dispute(item=item, answers=dict(dispute.answers))
                for item, dispute in zip(items, first, strict=True)
            ],
        )

    @routes.post("/invite")
    def invite(wanted: Invitation, person: Admin, request: Request) -> Invited:
        """Make a link or a token for someone."""
        is_link = wanted.kind == "link"
        token = room.assay.admission.invite(
            wanted.annotator, wanted.role, days=wanted.days, is_link=is_link
        )
        if not is_link:
            return Invited(annotator=wanted.annotator, token=token)
        address = str(request.url_for("join").include_query_params(token=token))
        return Invited(annotator=wanted.annotator, link=address)

    @routes.post("/revoke")
    def revoke(whose: Whose, person: Admin) -> Done:
        """Let no link, session or token that someone has had count any more."""
        if whose.annotator == person.annotator:
            raise HTTPException(
                400, "annotator must be someone else; you would lock yourself out."
            )
        room.assay.admission.revoke(whose.annotator)
        return Done()

    @routes.post("/settle")
    def settle(settled: Settling, person: Admin) -> Done:
        """Decide what an instance is on which annotators disagree."""
        room.assay.settle([settled.id], [settled.label], person.annotator)
        room.live.poke()
        return Done()

    return routes
