"""Leading a team over HTTP: members and their agreement, disputes, invitations."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, Field

from accuracy_assay.session.admission import Role
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.team import Confusion, Member
from accuracy_assay.web.access import Admin
from accuracy_assay.web.label.api import NonEmptyText
from accuracy_assay.web.label.items import Item, items_of
from accuracy_assay.web.live import LiveUpdates

__all__ = ["team_routes"]

_SHOWN_DISPUTES = 50
"""Disputes sent at a time; the next ones follow once these are settled."""


class Dispute(BaseModel):
    """An instance on which annotators disagree, and what each says."""

    item: Item
    answers: dict[str, str]
    taken: str | None
    why: str


class Waiting(BaseModel, from_attributes=True):
    """Someone whose link was not used yet, and until when, in seconds since 1970, it works."""

    annotator: str
    role: str
    until: float


class Team(BaseModel):
    """Everyone, how well they agree, and the first of ``n_disputes`` disputes.

    ``links`` are those not used yet. ``trust`` says how far the labels are verified; None as long
    as no two answers can be compared.
    """

    members: list[Member]
    alpha: float | None
    alpha_interval: tuple[float, float] | None
    confusions: list[Confusion]
    trust: str | None
    shared: int
    links: list[Waiting]
    n_disputes: int
    disputes: list[Dispute]


class Invitation(BaseModel):
    """Whom to invite, as what, for how long; by a link for a browser or a token for a program."""

    annotator: str = Field(min_length=1, max_length=200)
    role: Role = "annotator"
    days: float = Field(default=7.0, gt=0.0, le=366.0)
    kind: Literal["link", "token"] = "link"


class Invited(BaseModel):
    """A link to send, or a token for ``Authorization: Bearer``."""

    annotator: str
    link: str | None = None
    token: str | None = None


class Settling(BaseModel):
    """The final label of a disputed instance."""

    id: NonEmptyText
    label: NonEmptyText


class Whose(BaseModel):
    """An annotator by name."""

    annotator: str = Field(min_length=1, max_length=200)


class Done(BaseModel):
    """Success."""

    done: bool = True


def team_routes(assay: Assay, live: LiveUpdates) -> APIRouter:
    """Return the routes for leading the team of one assay."""
    routes = APIRouter(prefix="/api/team", tags=["team"])

    @routes.get("")
    def team(person: Admin) -> Team:
        """Return what each annotator has done, how well they agree, and what is in dispute."""
        found = assay.team()
        first = found.disputes[:_SHOWN_DISPUTES]
        items = items_of(assay, [dispute.id for dispute in first])
        return Team(
            members=list(found.members),
            alpha=found.alpha,
            alpha_interval=found.alpha_interval,
            confusions=list(found.confusions),
            trust=found.trust,
            shared=found.shared,
            links=[Waiting.model_validate(each) for each in assay.admission.waiting()],
            n_disputes=len(found.disputes),
            disputes=[
                Dispute(
                    item=item,
                    answers=dict(dispute.answers),
                    taken=dispute.taken,
                    why=dispute.why,
                )
                for item, dispute in zip(items, first, strict=True)
            ],
        )

    @routes.post("/invite")
    def invite(wanted: Invitation, person: Admin, request: Request) -> Invited:
        """Make a link or a token for someone."""
        is_link = wanted.kind == "link"
        token = assay.admission.invite(
            wanted.annotator, wanted.role, days=wanted.days, is_link=is_link
        )
        if not is_link:
            return Invited(annotator=wanted.annotator, token=token)
        address = str(request.url_for("join").include_query_params(token=token))
        return Invited(annotator=wanted.annotator, link=address)

    @routes.post("/revoke")
    def revoke(whose: Whose, person: Admin) -> Done:
        """Revoke all links, sessions and tokens of someone."""
        if whose.annotator == person.annotator:
            raise HTTPException(400, "annotator must be someone else, or you lock yourself out.")
        assay.admission.revoke(whose.annotator)
        return Done()

    @routes.post("/settle")
    def settle(settled: Settling, person: Admin) -> Done:
        """Decide the label of an instance on which annotators disagree."""
        assay.settle([settled.id], [settled.label], person.annotator)
        live.poke()
        return Done()

    return routes
