"""The application as a whole: what it describes, and what it shows when something goes wrong."""

import pytest
from starlette.testclient import TestClient

from accuracy_assay.errors import OlderStoreError, StoreError
from accuracy_assay.web.access import Authenticator
from accuracy_assay.web.app import build_app

from .conftest import HOST


def test_the_description_names_the_same_operations_as_the_session(client) -> None:
    described = client("ann").get("/api/openapi.json").json()
    paths = described["paths"]
    wanted = {"/api/ask", "/api/tell", "/api/skip", "/api/undo", "/api/status", "/api/pending"}
    assert wanted <= set(paths)
    assert any(path.startswith("/api/surface") for path in paths)
    assert all(path.startswith("/api/") for path in paths)
    assert described["components"]["securitySchemes"]


def test_no_page_of_documentation_loads_scripts_from_elsewhere(client) -> None:
    for path in ("/docs", "/redoc"):
        assert client("root", "admin").get(path).status_code == 404


def test_the_stores_troubles_are_not_shown(client, served, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("could not reach postgresql://me:secret@db/path.")

    monkeypatch.setattr(served.assay, "status", fail)
    response = client("ann").get("/api/status")
    assert response.status_code == 503
    assert "postgresql" not in response.text


def test_a_page_says_that_its_store_is_older_than_what_it_has_seen(
    client, served, monkeypatch
) -> None:
    def fail(*_: object) -> None:
        raise OlderStoreError("3 labels newer than /secret/v.assay are known here")

    monkeypatch.setattr(served.assay, "status", fail)
    response = client("ann").get("/api/status")
    assert response.status_code == 503
    assert "older than what this page has seen; nothing is recorded" in response.text
    assert "secret" not in response.text


def test_an_error_of_ours_shows_nothing_of_the_inside(served, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("in /secret/path.py")

    token = served.assay.admission.invite("ann", is_link=False)
    monkeypatch.setattr(served.assay, "status", fail)
    app = build_app(served, Authenticator(served.assay, "session"), [HOST])
    client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)
    response = client.get("/api/status", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 500
    assert "secret" not in response.text
    assert response.headers["content-security-policy"].startswith("default-src 'self'")


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/media", "/static"])
def test_what_is_not_there_is_a_plain_404(client, path: str) -> None:
    response = client("ann").get(path)
    assert response.status_code == 404
    assert response.headers["x-content-type-options"] == "nosniff"
