"""Leading a team over HTTP: invitations that work, disputes that are settled."""

from urllib.parse import parse_qs, urlsplit


def test_the_team_and_its_disputes(client, make_served, served) -> None:
    served.assay.edit({"label": {"annotators": 2}})
    served.assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
    served.assay.tell(["x1", "x2"], ["dog", "dog"], "bob")
    team = client("root", "admin").get("/api/team").json()
    assert [m["name"] for m in team["members"]] == ["ann", "bob", "root"]
    assert (team["shared"], team["n_disputes"]) == (2, 1)
    (dispute,) = team["disputes"]
    assert dispute["item"]["id"] == "x1"
    assert dispute["answers"] == {"ann": "cat", "bob": "dog"}


def test_what_is_settled_stands(client, served) -> None:
    served.assay.tell(["x1"], ["cat"], "ann")
    served.assay.tell(["x1"], ["dog"], "bob")
    admin = client("root", "admin")
    assert admin.post("/api/team/settle", json={"id": "x1", "label": "dog"}).json() == {
        "done": True
    }
    assert served.assay.labels().row(0, named=True)["label"] == "dog"
    assert admin.get("/api/team").json()["n_disputes"] == 0
    for content in ({"id": "x9", "label": "dog"}, {"id": "x1", "label": "cow"}):
        assert admin.post("/api/team/settle", json=content).status_code == 400


def test_a_link_lets_its_person_in(client) -> None:
    admin, browser = client("root", "admin"), client(None)
    made = admin.post("/api/team/invite", json={"annotator": "cem"}).json()
    assert made["token"] is None
    address = urlsplit(made["link"])
    assert address.netloc == "127.0.0.1:8765"
    browser.post(address.path, params=parse_qs(address.query))
    assert browser.get("/api/status").json()["annotator"] == "cem"


def test_a_token_is_for_a_program(client) -> None:
    admin, program = client("root", "admin"), client(None)
    made = admin.post("/api/team/invite", json={"annotator": "robot", "kind": "token"}).json()
    assert made["link"] is None
    headers = {"Authorization": f"Bearer {made['token']}"}
    assert program.get("/api/status", headers=headers).json()["annotator"] == "robot"
    assert admin.post("/api/team/revoke", json={"annotator": "robot"}).status_code == 200
    assert program.get("/api/status", headers=headers).status_code == 401


def test_an_admin_does_not_lock_themselves_out(client) -> None:
    admin = client("root", "admin")
    assert admin.post("/api/team/revoke", json={"annotator": "root"}).status_code == 400
    assert admin.get("/api/team").status_code == 200
