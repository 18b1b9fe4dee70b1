"""The work of a team by day, over HTTP."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from accuracy_assay.session.assay import Assay
from accuracy_assay.session.days import answers_by_day
from accuracy_assay.web.access import Admin

__all__ = ["day_routes"]


class Days(BaseModel):
    """Answers by day, in UTC, and by annotator; the earliest day first."""

    days: dict[str, dict[str, int]]


def day_routes(assay: Assay) -> APIRouter:
    """Return the route of the work by day of one assay."""
    routes = APIRouter(prefix="/api/team", tags=["team"])

    @routes.get("/days")
    def days(person: Admin) -> Days:
        """Return how many answers came in on each day, and whose they were."""
        return Days(days=answers_by_day(assay.session))

    return routes
