"""Pages: escaped, without anything inline, with their files, images and recordings."""

import re

import pytest
from page_rows import PNG


@pytest.mark.parametrize("path", ["/", "/surface", "/team"])
def test_a_page_has_nothing_inline_and_names_no_other_host(client, path: str) -> None:
    page = client("<b>root</b>", "admin").get(path, headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "&lt;b&gt;root&lt;/b&gt;" in page.text
    assert "<b>root" not in page.text
    assert not re.search(r"\son\w+=|\sstyle=|javascript:", page.text)
    scripts = re.findall(r"<script([^>]*)>", page.text)
    assert scripts
    assert all('src="/static/' in s or 'type="application/json"' in s for s in scripts)
    assert "//" not in page.text.replace("<!doctype html>", "").replace("http://www.w3.org", "")


def test_what_a_page_loads_is_there(client) -> None:
    admin = client("root", "admin")
    pages = [admin.get(path).text for path in ("/", "/surface", "/team")]
    for address in sorted({a for page in pages for a in re.findall(r'"(/static/[^"]+)"', page)}):
        response = admin.get(address)
        assert response.status_code == 200, address
        assert response.headers["content-type"].split(";")[0] in (
            "text/css",
            "text/javascript",
            "image/svg+xml",
        )


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fapp.py", "page.html", "%2e%2e/pages.py"])
def test_no_other_file_is_sent(client, name: str) -> None:
    assert client("ann").get(f"/static/{name}").status_code == 404


def test_who_has_no_link_is_told_how_to_get_one(client) -> None:
    page = client(None).get("/", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert "assay invite" in page.text
    used = client(None).get("/join", params={"token": "none"})
    assert used.status_code == 401
    assert "has been used before" in used.text


def test_an_image_is_sent_whole_or_in_part(client) -> None:
    ann = client("ann")
    whole = ann.get("/media/picture", params={"id": "x1"})
    assert (whole.content, whole.headers["content-type"]) == (PNG, "image/png")
    part = ann.get("/media/picture", params={"id": "x1"}, headers={"Range": "bytes=2-5"})
    assert (part.status_code, part.content) == (206, PNG[2:6])
    assert part.headers["content-range"] == f"bytes 2-5/{len(PNG)}"
    rest = ann.get("/media/picture", params={"id": "x1"}, headers={"Range": "bytes=20-"})
    assert rest.content == PNG[20:]
    for wrong in ("bytes=999-", "bytes=5-2"):
        response = ann.get("/media/picture", params={"id": "x1"}, headers={"Range": wrong})
        assert response.status_code == 416
    odd = ann.get("/media/picture", params={"id": "x1"}, headers={"Range": "lines=1-2"})
    assert odd.status_code == 200


def test_only_columns_that_are_shown_as_media_are_sent(client) -> None:
    ann = client("ann")
    for column in ("truth", "guess", "text", "nothing", "%2e%2e", "id"):
        assert ann.get(f"/media/{column}", params={"id": "x1"}).status_code == 404, column
    assert ann.get("/media/picture", params={"id": "nowhere"}).status_code == 400
