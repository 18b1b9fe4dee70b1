"""The server of an assay as one application: pages, JSON, and what guards both."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

import accuracy_assay
from accuracy_assay.errors import AssayError, ConflictError, StoreError
from accuracy_assay.web.access import Door, require_admin
from accuracy_assay.web.guard import Guard, Pace
from accuracy_assay.web.label.api import label_routes
from accuracy_assay.web.pages import page_routes, refusal_page
from accuracy_assay.web.room import Room
from accuracy_assay.web.status_api import status_routes
from accuracy_assay.web.surface.api import surface_routes
from accuracy_assay.web.team.api import team_routes

__all__ = ["build_app"]

_log = logging.getLogger(__name__)

_DESCRIPTION = """\
Ask for instances, tell their labels, read the surface. Every call carries
`Authorization: Bearer TOKEN`; `assay invite NAME --token` makes one."""
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "A value that cannot be taken; `detail` says which and what to do."},
    401: {"description": "No valid session or token."},
    403: {"description": "Not allowed to this person, or sent by another site."},
    404: {"description": "There is no such thing."},
    409: {"description": "It contradicts what was told before; nothing was recorded."},
    413: {"description": "More was sent than is read."},
    414: {"description": "The address is too long."},
    421: {"description": "`Host` is none that is served here."},
    429: {"description": "Too many requests."},
    503: {"description": "The store is away, or the server is busy; try again."},
}


def build_app(room: Room, door: Door, hosts: Iterable[str]) -> FastAPI:
    """Return the application of one assay.

    Parameters
    ----------
    room, door
        The assay, and who may come in.
    hosts
        Values of ``Host`` that are served.
    """
    app = FastAPI(
        title=f"Assay {room.assay.name}",
        version=accuracy_assay.__version__,
        description=_DESCRIPTION,
        docs_url=None,  # it would load scripts from another host
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=_REFUSALS,
    )
    app.state.door = door
    app.add_middleware(Guard, hosts=tuple(hosts), pace=Pace(1_000.0, 4_000.0))
    app.include_router(page_routes(room))
    app.include_router(label_routes(room))
    app.include_router(status_routes(room))
    app.include_router(surface_routes(room), dependencies=[Depends(require_admin)])
    app.include_router(team_routes(room))
    handlers: dict[type[Exception], Callable[..., Awaitable[Response]]] = {
        AssayError: _explain,
        StarletteHTTPException: _refuse,
        RequestValidationError: _name_mistakes,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    return app


async def _explain(request: Request, error: AssayError) -> Response:
    """Say what was wrong with what was sent; of the store's troubles only that there are some."""
    if isinstance(error, StoreError):
        _log.warning("the store failed: %s", error)
        return JSONResponse({"detail": "the store is away; nothing is lost. Try again."}, 503)
    return JSONResponse({"detail": str(error)}, 409 if isinstance(error, ConflictError) else 400)


async def _refuse(request: Request, error: HTTPException) -> Response:
    """Refuse in the language of who asks: a page to a person, JSON to a program."""
    is_page = "text/html" in request.headers.get("accept", "")
    if is_page and error.status_code in (401, 403) and request.method == "GET":
        if error.status_code == 403 and request.url.path != "/":
            return RedirectResponse("/", 303)
        return refusal_page(request, error.status_code)
    headers = dict(error.headers or {})
    return JSONResponse({"detail": error.detail}, error.status_code, headers)


async def _name_mistakes(request: Request, error: RequestValidationError) -> Response:
    """Name what is wrong with a request, without sending back what may be large or strange."""
    mistakes = [
        {"loc": mistake["loc"], "msg": mistake["msg"], "type": mistake["type"]}
        for mistake in error.errors()
    ]
    return JSONResponse({"detail": jsonable_encoder(mistakes)}, 422)
