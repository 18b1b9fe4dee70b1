"""The HTML pages with their styles, scripts, images and recordings, and signing in."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from accuracy_assay.session.access_book import Access
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.access import Admin, Authenticator, Person, Viewer, limit_stranger
from accuracy_assay.web.label.markdown import markdown_html
from accuracy_assay.web.label.media import media_folder, read_media

__all__ = ["page_routes", "refusal_page"]

_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_LONGEST_RANGE = 40
"""Characters of a ``Range`` header: two numbers."""
Token = Annotated[str, Query(max_length=200)]
_FOLDERS = {"accuracy_assay.web": "static", "accuracy_assay.reports": "templates"}


def page_routes(assay: Assay) -> APIRouter:
    """Return the pages of one assay and the files that they load."""
    routes = APIRouter(include_in_schema=False)
    texts = _texts()

    @routes.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in texts:
            raise HTTPException(404, "there is no such file.")
        kind = _KINDS[name[name.rindex(".") :]]
        return Response(texts[name], media_type=kind, headers={"Cache-Control": "no-cache"})

    @routes.api_route("/join", methods=["GET", "HEAD"], name="join")
    def invitation(request: Request, token: Token = "") -> Response:
        """Show whom a link is for. Looking uses nothing up: previews of chats look too."""
        person = assay.admission.invited(token)
        if person is None:
            return _without_link(request, assay)
        query = urlencode({"token": token})
        page = _environment().get_template("join.html")
        return HTMLResponse(page.render(name=assay.name, person=person, query=query))

    @routes.post("/join")
    def join(request: Request, token: Token = "") -> Response:
        session = assay.admission.sign_in(token)
        if session is None:
            return _without_link(request, assay)
        authenticator: Authenticator = request.app.state.authenticator
        response = RedirectResponse("/", 303)
        authenticator.set_session(response, session, is_https=request.url.scheme == "https")
        return response

    @routes.get("/")
    async def label(request: Request, person: Person) -> Response:
        if not person.may_change:
            return RedirectResponse("/surface", 303)
        return _page(request, "label.html", assay, person)

    @routes.get("/surface")
    async def surface(request: Request, person: Viewer) -> HTMLResponse:
        return _page(request, "surface.html", assay, person)

    @routes.get("/team")
    async def team(request: Request, person: Admin) -> HTMLResponse:
        return _page(request, "team.html", assay, person)

    @routes.get("/media/{column}")
    def media(
        request: Request, column: str, person: Person, id: Annotated[str, Query(max_length=10_000)]
    ) -> Response:
        if not {("image", column), ("audio", column)} & set(assay.spec.label.shown):
            raise HTTPException(404, "there is no such image or recording.")
        value = assay.session.show([id]).get_column(column).item()
        folder = media_folder(assay.spec.pool)
        content, kind = read_media(value, folder, f"{column!r} of instance {id!r}")
        return _part_of(request, content, kind)

    return routes


def _without_link(request: Request, assay: Assay) -> Response:
    """Let in who is in already; refuse all others."""
    authenticator: Authenticator = request.app.state.authenticator
    current = authenticator.session(request)
    if authenticator.everyone or (current and assay.admission.who(current)):
        return RedirectResponse("/", 303)
    limit_stranger(request)
    return refusal_page(401)


def refusal_page(status: int) -> HTMLResponse:
    """Return the page that says how to get a link, or an admin link."""
    html = _environment().get_template("refused.html").render(is_known=status == 403)
    return HTMLResponse(html, status)


def _page(request: Request, name: str, assay: Assay, person: Access) -> HTMLResponse:
    authenticator: Authenticator = request.app.state.authenticator
    spec = assay.session.last_parts.spec  # a page does not wait for the store
    html = (
        _environment()
        .get_template(name)
        .render(
            name=assay.name,
            person=person,
            csrf=authenticator.csrf(authenticator.session(request)),
            choices=list(spec.label.choices),
            answer=spec.label.kind,
            question=spec.label.question,
            instructions=Markup(
                markdown_html(spec.label.instructions or "")
            ),  # it escapes all texts
            services=[service.name for service in spec.service],
            has_judges=bool(spec.judge),
            path=request.url.path,
        )
    )
    return HTMLResponse(html)


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("accuracy_assay.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _texts() -> dict[str, str]:
    """Return styles and scripts by name: the page's own and the report's."""
    found: dict[str, str] = {}
    for package, folder in _FOLDERS.items():
        for file in (files(package) / folder).iterdir():
            if file.name.endswith(tuple(_KINDS)):
                found[file.name] = file.read_text(encoding="utf-8")
    return found


def _part_of(request: Request, content: bytes, kind: str) -> Response:
    """Return a file, or the range of it that a player asks for."""
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
