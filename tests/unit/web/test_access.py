"""Who makes a request: by a cookie with the form's token, or by a header; strangers wait."""

from starlette.testclient import TestClient

from accuracy_assay.session.access_book import Access
from accuracy_assay.web.access import Authenticator
from accuracy_assay.web.app import build_app
from accuracy_assay.web.guard import RateLimit

from .conftest import HOST


def signed_in(client, served, annotator: str = "ann", role: str = "annotator") -> TestClient:
    browser = client(None)
    link = served.assay.admission.invite(annotator, role)
    assert browser.post("/join", params={"token": link}).status_code == 303
    return browser


def csrf_of(browser: TestClient) -> str:
    page = browser.get("/", headers={"Accept": "text/html"}).text
    return page.split('name="csrf" content="')[1].split('"')[0]


def test_a_stranger_is_refused_everywhere(client) -> None:
    nobody = client(None)
    for path in (
        "/",
        "/surface",
        "/team",
        "/api/status",
        "/api/pending",
        "/api/team",
        "/api/live",
        "/api/openapi.json",
    ):
        assert nobody.get(path).status_code == 401, path
    for path in ("/openapi.json", "/docs", "/redoc"):
        assert nobody.get(path).status_code == 404, path
    for path in ("/api/ask", "/api/tell", "/api/skip", "/api/undo", "/api/team/invite"):
        assert nobody.post(path, json={}).status_code == 401, path
    assert nobody.get("/media/picture", params={"id": "x1"}).status_code == 401
    assert nobody.get("/api/status", params={"token": "x"}).headers["www-authenticate"] == "Bearer"


def test_a_token_that_is_none_is_refused(client) -> None:
    nobody = client(None)
    for header in ("Bearer", "Bearer x", "Basic x", "bearer " + "é" * 50, "Bearer\tx"):
        headers = {"Authorization": header.encode("utf-8")}
        assert nobody.get("/api/status", headers=headers).status_code == 401


def test_a_link_is_swapped_for_a_cookie_that_scripts_cannot_read(client, served) -> None:
    browser = client(None)
    link = served.assay.admission.invite("ann")
    response = browser.post("/join", params={"token": link})
    assert response.headers["location"] == "/"
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert link not in cookie
    assert browser.get("/api/status").json()["annotator"] == "ann"
    for method in ("GET", "POST"):
        assert client(None).request(method, "/join", params={"token": link}).status_code == 401
        # Who is in stays in.
        assert browser.request(method, "/join", params={"token": link}).status_code == 303


def test_looking_at_a_link_does_not_use_it_up(client, served) -> None:
    link = served.assay.admission.invite("<b>ann</b>", "admin")
    before = served.assay.status().events
    for method in ("GET", "HEAD", "GET", "HEAD", "OPTIONS"):
        looked = client(None).request(method, "/join", params={"token": link})
        assert looked.status_code in (200, 405), method
        assert "set-cookie" not in looked.headers
    assert served.assay.status().events == before
    page = client(None).get("/join", params={"token": link}).text
    assert "&lt;b&gt;ann&lt;/b&gt;" in page
    assert 'method="post"' in page
    browser = client(None)
    assert browser.post("/join", params={"token": link}).status_code == 303
    assert browser.get("/api/status").json()["annotator"] == "<b>ann</b>"


def test_another_site_cannot_sign_anyone_in(client, served) -> None:
    link = served.assay.admission.invite("eve")
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}):
        refused = client(None).post("/join", params={"token": link}, headers=headers)
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers
    assert served.assay.admission.invited(link) is not None


def test_a_page_must_send_the_token_of_its_forms(client, served) -> None:
    browser = signed_in(client, served)
    assert browser.post("/api/ask", json={"n": 1}).status_code == 403
    wrong = {"X-CSRF-Token": "0" * 64}
    assert browser.post("/api/ask", json={"n": 1}, headers=wrong).status_code == 403
    right = {"X-CSRF-Token": csrf_of(browser)}
    assert browser.post("/api/ask", json={"n": 1}, headers=right).status_code == 200
    other = {"X-CSRF-Token": csrf_of(signed_in(client, served, "bob"))}
    assert browser.post("/api/ask", json={"n": 1}, headers=other).status_code == 403


def test_an_annotator_sees_nothing_that_is_for_admins(client) -> None:
    ann = client("ann")
    for path in ("/surface", "/team", "/api/team", "/api/surface/arms"):
        assert ann.get(path).status_code == 403, path
    assert ann.post("/api/team/invite", json={"annotator": "eve"}).status_code == 403
    assert ann.post("/api/team/settle", json={"id": "x1", "label": "cat"}).status_code == 403
    assert ann.get("/api/status").json()["services"] == []
    assert client("root", "admin").get("/api/team").status_code == 200


def test_a_reader_sees_the_surface_and_can_change_nothing(client) -> None:
    reader = client("eve", "reader")
    for path in ("/surface", "/api/surface/arms", "/api/status"):
        assert reader.get(path).status_code == 200, path
    assert reader.get("/", follow_redirects=False).headers["location"] == "/surface"
    for path in ("/team", "/api/team"):
        assert reader.get(path).status_code == 403, path
    bodies = {"ask": {"n": 1}, "tell": {"answers": [{"id": "x1", "label": "cat"}]}, "undo": {}}
    for path, body in bodies.items():
        assert reader.post(f"/api/{path}", json=body).status_code == 403, path
    assert reader.post("/api/team/invite", json={"annotator": "bob"}).status_code == 403


def test_revoking_ends_a_session_and_a_token(client, served) -> None:
    browser, program = signed_in(client, served), client("ann")
    assert browser.get("/api/status").status_code == program.get("/api/status").status_code == 200
    served.assay.admission.revoke("ann")
    assert browser.get("/api/status").status_code == program.get("/api/status").status_code == 401


def test_who_tries_tokens_must_wait(served) -> None:
    # The clock stands still: a slow machine would let a stranger in again between two tries.
    authenticator = Authenticator(
        served.assay, "session", stranger_limit=RateLimit(2.0, 20.0, clock=lambda: 0.0)
    )
    nobody = TestClient(build_app(served, authenticator, [HOST]), base_url=f"http://{HOST}")
    tries = [
        nobody.get("/api/status", headers={"Authorization": f"Bearer {k}"}) for k in range(25)
    ]
    assert [each.status_code for each in tries] == [401] * 20 + [429] * 5
    assert int(tries[-1].headers["retry-after"]) >= 1


def test_one_person_cannot_take_all_of_the_server(served) -> None:
    authenticator = Authenticator(served.assay, "session", person_limit=RateLimit(1.0, 3.0))
    browser = TestClient(build_app(served, authenticator, [HOST]), base_url=f"http://{HOST}")
    token = served.assay.admission.invite("ann", is_link=False)
    headers = {"Authorization": f"Bearer {token}"}
    codes = [browser.get("/api/status", headers=headers).status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]


def test_without_tokens_everyone_is_who_was_said_but_forms_are_still_guarded(served) -> None:
    authenticator = Authenticator(
        served.assay, "session", Access("me", "admin", float("inf")), "secret"
    )
    browser = TestClient(build_app(served, authenticator, [HOST]), base_url=f"http://{HOST}")
    assert browser.get("/api/status").json()["annotator"] == "me"
    assert browser.post("/api/ask", json={"n": 1}).status_code == 403
    headers = {"X-CSRF-Token": csrf_of(browser)}
    assert browser.post("/api/ask", json={"n": 1}, headers=headers).status_code == 200
