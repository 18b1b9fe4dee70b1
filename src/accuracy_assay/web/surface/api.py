"""The views of a surface over HTTP: each as JSON, as CSV and as a picture.

The whole state of a view stands in its address, so that a link reproduces it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.responses import Response

from accuracy_assay.web.surface.answers import SurfaceAnswers, SurfaceRoom
from accuracy_assay.web.surface.parameters import (
    Asked,
    AskedArms,
    AskedCompare,
    AskedHeat,
    AskedInstances,
    AskedMarginals,
    AskedProgress,
    AskedSlices,
    AskedWorst,
)
from accuracy_assay.web.surface.pictures import png_of
from accuracy_assay.web.surface.table import csv_of
from accuracy_assay.web.surface.values import (
    Arms,
    Compare,
    Heat,
    Instances,
    Marginals,
    Progress,
    Slices,
    Worst,
)

__all__ = ["surface_routes"]

_KINDS = {"csv": "text/csv; charset=utf-8", "png": "image/png"}


def surface_routes(room: SurfaceRoom) -> APIRouter:
    """Return the routes of the views of one assay."""
    routes = APIRouter(prefix="/api/surface", tags=["surface"])
    views = SurfaceAnswers(room)

    def get(path: str, model: type[BaseModel]) -> Callable[..., Any]:
        other: dict[int | str, dict[str, Any]] = {
            200: {"content": {kind.partition(";")[0]: {} for kind in _KINDS.values()}}
        }
        return routes.get(path, response_model=model, responses=other)

    @get("/slices", Slices)
    def slices(asked: Annotated[AskedSlices, Query()]) -> Any:
        """Return the parts of the space that are clearly weaker than the whole."""
        return _answer("slices", views.slices(asked), asked)

    @get("/heat", Heat)
    def heat(asked: Annotated[AskedHeat, Query()]) -> Any:
        """Return the accuracy by two attributes, others filtered or averaged under a mix."""
        return _answer("heat", views.heat(asked), asked)

    @get("/arms", Arms)
    def arms(asked: Annotated[AskedArms, Query()]) -> Any:
        """Return the arms that match, in an order."""
        return _answer("arms", views.arms(asked), asked)

    @get("/instances", Instances)
    def instances(asked: Annotated[AskedInstances, Query()]) -> Any:
        """Return the instances behind some arms, labelled ones with their answers."""
        return _answer("instances", views.instances(asked), asked)

    @get("/marginals", Marginals)
    def marginals(asked: Annotated[AskedMarginals, Query()]) -> Any:
        """Return the accuracy by one attribute at a time."""
        return _answer("marginals", views.marginals(asked), asked)

    @get("/worst", Worst)
    def worst(asked: Annotated[AskedWorst, Query()]) -> Any:
        """Return the worst arms, the worst first."""
        return _answer("worst", views.worst(asked), asked)

    @get("/progress", Progress)
    def progress(asked: Annotated[AskedProgress, Query()]) -> Any:
        """Return the expected error against labels, and what the next labels will do."""
        return _answer("progress", views.progress(asked), asked)

    @get("/compare", Compare)
    def compare(asked: Annotated[AskedCompare, Query()]) -> Any:
        """Return the services side by side, and where one is better with what probability."""
        return _answer("compare", views.compare(asked), asked)

    return routes


def _answer(name: str, view: Any, asked: Asked) -> Any:
    """Return a view as it is asked for; files are named after the view and the service."""
    if asked.format == "json":
        return view
    content = csv_of(view) if asked.format == "csv" else png_of(view)
    service = re.sub(r"[^A-Za-z0-9._-]+", "-", view.about.service).strip("-.") or "service"
    file = f"{name}-{service}.{asked.format}"
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(content, media_type=_KINDS[asked.format], headers=headers)
