"""The views of a surface over HTTP, each as JSON, CSV and PNG.

The URL holds the whole state of a view, so a link reproduces it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from accuracy_assay.session.assay import Assay
from accuracy_assay.web.live import LiveUpdates
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.pictures import png_of
from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    CompareQuery,
    HeatQuery,
    InstancesQuery,
    JudgeQuery,
    MarginalsQuery,
    ProgressQuery,
    SlicesQuery,
    ThenQuery,
    TimeQuery,
    ViewQuery,
    WorstQuery,
)
from accuracy_assay.web.surface.saved_page import html_of
from accuracy_assay.web.surface.table import csv_of
from accuracy_assay.web.surface.values import (
    Arms,
    Attributes,
    Compare,
    Heat,
    Instances,
    Judge,
    Marginals,
    Progress,
    Slices,
    Then,
    Time,
    View,
    Worst,
)

__all__ = ["surface_routes"]

_KINDS = {
    "csv": "text/csv; charset=utf-8",
    "png": "image/png",
    "html": "text/html; charset=utf-8",
}
_TITLES = {
    "slices": "Weak slices",
    "heat": "Two attributes",
    "marginals": "One attribute at a time",
    "attributes": "What matters",
    "compare": "Services side by side",
    "judge": "Where a judge may decide",
    "then": "Then and now",
    "worst": "Worst arms",
}
"""Titles of saved pages; others are called as their address."""


def surface_routes(assay: Assay, live: LiveUpdates) -> APIRouter:
    """Return the routes of the views of one assay."""
    routes = APIRouter(prefix="/api/surface", tags=["surface"])
    views = SurfaceAnswers(assay, live)

    def get(path: str, model: type[View]) -> Callable[..., Any]:
        other: dict[int | str, dict[str, Any]] = {
            200: {"content": {kind.partition(";")[0]: {} for kind in _KINDS.values()}}
        }
        return routes.get(path, response_model=model, responses=other)

    @get("/slices", Slices)
    def slices(query: Annotated[SlicesQuery, Query()]) -> Any:
        """Return the parts of the space that are clearly weaker than the whole."""
        return _answer("slices", views.slices(query), query)

    @get("/heat", Heat)
    def heat(query: Annotated[HeatQuery, Query()]) -> Any:
        """Return the accuracy by two attributes; others are filtered or averaged."""
        return _answer("heat", views.heat(query), query)

    @get("/arms", Arms)
    def arms(query: Annotated[ArmsQuery, Query()]) -> Any:
        """Return the arms that match, sorted."""
        return _answer("arms", views.arms(query), query)

    @get("/instances", Instances)
    def instances(query: Annotated[InstancesQuery, Query()]) -> Any:
        """Return the instances behind some arms, labelled ones with their answers."""
        return _answer("instances", views.instances(query), query)

    @get("/marginals", Marginals)
    def marginals(query: Annotated[MarginalsQuery, Query()]) -> Any:
        """Return the accuracy by one attribute at a time."""
        return _answer("marginals", views.marginals(query), query)

    @get("/attributes", Attributes)
    def attributes(query: Annotated[ViewQuery, Query()]) -> Any:
        """Return which attributes matter: the share of the differences that each explains."""
        return _answer("attributes", views.attributes(query), query)

    @get("/worst", Worst)
    def worst(query: Annotated[WorstQuery, Query()]) -> Any:
        """Return the worst arms, worst first."""
        return _answer("worst", views.worst(query), query)

    @get("/then", Then)
    def then(query: Annotated[ThenQuery, Query()]) -> Any:
        """Return the surface as it was beside what it is."""
        return _answer("then", views.then(query), query)

    @get("/progress", Progress)
    def progress(query: Annotated[ProgressQuery, Query()]) -> Any:
        """Return the expected error against labels, and what the next labels will do."""
        return _answer("progress", views.progress(query), query)

    @get("/time", Time)
    def time(query: Annotated[TimeQuery, Query()]) -> Any:
        """Return the accuracy over time, and where it got worse."""
        return _answer("time", views.time(query), query)

    @get("/judge", Judge)
    def judge(query: Annotated[JudgeQuery, Query()]) -> Any:
        """Return where a judge may decide in place of people, by the labels so far."""
        return _answer("judge", views.judge(query), query)

    @get("/compare", Compare)
    def compare(query: Annotated[CompareQuery, Query()]) -> Any:
        """Return the services side by side, and where one is better with what probability."""
        return _answer("compare", views.compare(query), query)

    return routes


def _answer(name: str, view: View, query: ViewQuery) -> Any:
    """Return a view in the requested format; files are named after view and service."""
    if query.format == "json":
        return view
    if query.format == "html":
        content = html_of(view, _TITLES.get(name, name.capitalize()))
    else:
        content = csv_of(view) if query.format == "csv" else png_of(view)
    service = re.sub(r"[^A-Za-z0-9._-]+", "-", view.about.service).strip("-.") or "service"
    file = f"{name}-{service}.{query.format}"
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(content, media_type=_KINDS[query.format], headers=headers)
