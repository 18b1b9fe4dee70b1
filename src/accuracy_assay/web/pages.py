"""The pages themselves: who has no session is told how to get one, everyone else gets HTML."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from accuracy_assay.session.access_book import Access
from accuracy_assay.web.access import Admin, Door, Person, hold_up_stranger
from accuracy_assay.web.label.media import read_media
from accuracy_assay.web.room import Room

__all__ = ["page_routes", "refusal_page"]

_PACKAGES = ("accuracy_assay.web", "accuracy_assay.reports")
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_LONGEST_RANGE = 40
"""Characters of the part of a file that a player asks for: two numbers."""
_FOLDERS = {_PACKAGES[0]: "static", _PACKAGES[1]: "templates"}


def page_routes(room: Room) -> APIRouter:
    """Return the pages of one assay, with their styles, scripts, images and recordings."""
    routes = APIRouter(include_in_schema=False)
    texts = _texts()

    @routes.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in texts:
            raise HTTPException(404, "there is no such file.")
        kind = _KINDS[name[name.rindex(".") :]]
        return Response(texts[name], media_type=kind, headers={"Cache-Control": "no-cache"})

    @routes.get("/join", name="join")
    def join(request: Request, token: Annotated[str, Query(max_length=200)] = "") -> Response:
        door: Door = request.app.state.door
        session = room.assay.admission.sign_in(token)
        if session is None:
            known = door.session(request) and room.assay.admission.who(door.session(request))
            if known or door.everyone:
                return RedirectResponse("/", 303)
            hold_up_stranger(request)
            return refusal_page(request, 401)
        response = RedirectResponse("/", 303)
        door.let_in(response, session, is_https=request.url.scheme == "https")
        return response

    @routes.get("/")
    async def label(request: Request, person: Person) -> HTMLResponse:
        return _page(request, "label.html", room, person)

    @routes.get("/surface")
    async def surface(request: Request, person: Admin) -> HTMLResponse:
        return _page(request, "surface.html", room, person)

    @routes.get("/team")
    async def team(request: Request, person: Admin) -> HTMLResponse:
        return _page(request, "team.html", room, person)

    @routes.get("/media/{column}")
    def media(
        request: Request, column: str, person: Person, id: Annotated[str, Query(max_length=10_000)]
    ) -> Response:
        if column not in _media_columns(room):
            raise HTTPException(404, "there is no such image or recording.")
        value = room.assay.session.show([id]).get_column(column).item()
        content, kind = read_media(value, room.media_folder, f"{column!r} of instance {id!r}")
        return _part_of(request, content, kind)

    return routes


def refusal_page(request: Request, status: int) -> HTMLResponse:
    """Return the page of who may not come in: how to get a link, or an admin's link."""
    html = _environment().get_template("refused.html").render(is_known=status == 403)
    return HTMLResponse(html, status)


def _page(request: Request, name: str, room: Room, person: Access) -> HTMLResponse:
    door: Door = request.app.state.door
    spec = room.assay.session.last_parts.spec  # a page waits for no store
    html = (
        _environment()
        .get_template(name)
        .render(
            name=room.assay.name,
            person=person,
            csrf=door.csrf(door.session(request)),
            choices=list(spec.label.choices),
            services=[service.name for service in spec.service],
            path=request.url.path,
        )
    )
    return HTMLResponse(html)


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(_PACKAGES[0], "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _texts() -> dict[str, str]:
    """Return styles and scripts by name: the page's own, and those of the report."""
    found: dict[str, str] = {}
    for package, folder in _FOLDERS.items():
        for file in (files(package) / folder).iterdir():
            if file.name.endswith(tuple(_KINDS)):
                found[file.name] = file.read_text(encoding="utf-8")
    return found


def _media_columns(room: Room) -> list[str]:
    show: Any = room.assay.spec.label.show
    named = [show[kind] for kind in ("image", "audio") if kind in show]
    return [c for columns in named for c in ([columns] if isinstance(columns, str) else columns)]


def _part_of(request: Request, content: bytes, kind: str) -> Response:
    """Return a file, or the part of it that a player asks for."""
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=3600"}
    unit, _, wanted = request.headers.get("range", "").partition("=")
    first, dash, last = wanted.partition("-")
    if unit != "bytes" or not dash or not first.isdecimal() or len(wanted) > _LONGEST_RANGE:
        return Response(content, media_type=kind, headers=headers)
    start = int(first)
    end = min(int(last), len(content) - 1) if last.isdecimal() else len(content) - 1
    if start >= len(content) or start > end:
        headers["Content-Range"] = f"bytes */{len(content)}"
        return Response(status_code=416, headers=headers)
    headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
    return Response(content[start : end + 1], 206, headers, kind)
