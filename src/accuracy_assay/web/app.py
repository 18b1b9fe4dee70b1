"""The web application of one assay: pages, JSON API, and the guard in front of both."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import JSONResponse, Response

import accuracy_assay
from accuracy_assay.errors import AssayError, ConflictError, OlderStoreError, StoreError
from accuracy_assay.web.access import Authenticator, Person, require_viewer
from accuracy_assay.web.guard import Guard, RateLimit
from accuracy_assay.web.label.api import label_routes
from accuracy_assay.web.pages import page_routes, refusal_page
from accuracy_assay.web.served_assay import ServedAssay
from accuracy_assay.web.status_api import status_routes
from accuracy_assay.web.surface.api import surface_routes
from accuracy_assay.web.team.api import team_routes
from accuracy_assay.web.team.days import day_routes

__all__ = ["build_app"]

_log = logging.getLogger(__name__)

_DESCRIPTION = """\
Ask for instances, tell their labels, read the surface. Every call needs
`Authorization: Bearer TOKEN`; make a token with `assay invite STORE NAME --token`."""
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "A bad value; `detail` says which and what to do."},
    401: {"description": "No valid session or token."},
    403: {"description": "Not allowed for this person, or sent by another site."},
    404: {"description": "Not found."},
    409: {"description": "It contradicts an earlier answer; nothing was recorded."},
    413: {"description": "The request is too large."},
    414: {"description": "The address is too long."},
    421: {"description": "This server does not serve that `Host`."},
    429: {"description": "Too many requests."},
    503: {"description": "The store is unreachable, or the server is busy; try again."},
}


def build_app(
    served: ServedAssay,
    authenticator: Authenticator,
    hosts: Iterable[str],
    most_streams: int = 500,
) -> FastAPI:
    """Return the application of one assay.

    Parameters
    ----------
    served, authenticator
        The assay, and who may use it.
    hosts
        Values of ``Host`` that are served.
    most_streams
        Open streams of updates: each takes a connection.
    """
    app = FastAPI(
        title=f"Assay {served.assay.name}",
        version=accuracy_assay.__version__,
        description=_DESCRIPTION,
        docs_url=None,  # it would load scripts from another host
        redoc_url=None,
        openapi_url=None,  # it would tell strangers what there is; see the route below
        responses=_REFUSALS,
    )
    app.state.authenticator = authenticator
    app.add_middleware(Guard, hosts=tuple(hosts), limit=RateLimit(1_000.0, 4_000.0))
    assay, live = served.assay, served.live
    app.include_router(page_routes(assay))
    app.include_router(label_routes(assay, served.queue))
    app.include_router(status_routes(assay, live, most_streams))
    app.include_router(surface_routes(assay, live), dependencies=[Depends(require_viewer)])
    app.include_router(team_routes(assay, live))
    app.include_router(day_routes(assay))

    @app.get("/api/openapi.json", include_in_schema=False)
    async def describe(person: Person) -> JSONResponse:
        return JSONResponse(app.openapi())

    handlers: dict[type[Exception], Callable[..., Awaitable[Response]]] = {
        AssayError: _explain,
        StarletteHTTPException: _refuse,
        RequestValidationError: _name_mistakes,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    return app


async def _explain(request: Request, error: AssayError) -> Response:
    """Say what is wrong with a request; hide the details of a failing store."""
    if isinstance(error, OlderStoreError):
        _log.error("the store is older than it was: %s", error)
        return JSONResponse(
            {
                "detail": "the store is older than what this page has seen; nothing is recorded. "
                "Tell whoever runs the page."
            },
            503,
        )
    if isinstance(error, StoreError):
        _log.warning("the store failed: %s", error)
        return JSONResponse(
            {"detail": "the store is unreachable; nothing is lost. Try again."}, 503
        )
    return JSONResponse({"detail": str(error)}, 409 if isinstance(error, ConflictError) else 400)


async def _refuse(request: Request, error: HTTPException) -> Response:
    """Refuse with a page for people and JSON for programs."""
    is_page = "text/html" in request.headers.get("accept", "")
    if is_page and error.status_code in (401, 403) and request.method == "GET":
        return refusal_page(error.status_code)
    headers = dict(error.headers or {})
    return JSONResponse({"detail": error.detail}, error.status_code, headers)


async def _name_mistakes(request: Request, error: RequestValidationError) -> Response:
    """Name what is wrong with a request without echoing what may be large or strange."""
    mistakes = [
        {"loc": mistake["loc"], "msg": mistake["msg"], "type": mistake["type"]}
        for mistake in error.errors()
    ]
    return JSONResponse({"detail": jsonable_encoder(mistakes)}, 422)
