"""``assay invite``: links and tokens that work, shown once, and taken back."""

import json
from urllib.parse import parse_qs, urlsplit

import accuracy_assay as aa
from accuracy_assay.session.page_address import announced


def token_of(link: str) -> str:
    return parse_qs(urlsplit(link).query)["token"][0]


def test_a_link_lets_its_person_in_once(assay, store: str) -> None:
    answer = assay("invite", store, "ann", "--address", "https://lab.example/")
    assert answer.code == 0, answer.err
    link = answer.out.strip()
    assert link.startswith("https://lab.example/join?token=")
    with aa.Assay.open(store) as session:
        entered = session.admission.sign_in(token_of(link))
        assert session.admission.who(entered).annotator == "ann"
        assert not session.admission.who(entered).is_admin
        assert session.admission.sign_in(token_of(link)) is None


def test_a_token_serves_a_program(assay, store: str) -> None:
    answer = assay("invite", store, "robot", "--token", "--admin", "--json")
    made = json.loads(answer.out)
    assert made["annotator"] == "robot"
    with aa.Assay.open(store) as session:
        assert session.admission.who(made["token"]).is_admin
    assert assay("invite", store, "robot", "--revoke").code == 0
    with aa.Assay.open(store) as session:
        assert session.admission.who(made["token"]) is None


def test_a_bad_name_or_time_is_refused(assay, store: str) -> None:
    assert assay("invite", store, " ").code == 2
    answer = assay("invite", store, "ann", "--days", 0)
    assert answer.code == 2
    assert "days must be above 0" in answer.err


def test_a_link_leads_to_the_page_that_is_running(assay, store: str) -> None:
    with aa.Assay.open(store) as session:
        name = session.name
    with announced(store, name, "http://127.0.0.1:43210"):
        answer = assay("invite", store, "ann")
        assert answer.out.startswith("http://127.0.0.1:43210/join?token=")
        assert "no page is running" not in answer.err
        asked = assay("invite", store, "bob", "--address", "https://lab.example", "--json")
        assert json.loads(asked.out)["link"].startswith("https://lab.example/join?token=")
    answer = assay("invite", store, "ann")
    assert answer.out.startswith("http://127.0.0.1:8765/join?token=")
    assert "no page is running here" in answer.err


def test_a_reader_sees_the_surface_and_an_invitation_has_one_role(assay, store: str) -> None:
    made = json.loads(assay("invite", store, "eve", "--token", "--reader", "--json").out)
    with aa.Assay.open(store) as session:
        known = session.admission.who(made["token"])
    assert (known.sees_surface, known.may_change, known.is_admin) == (True, False, False)
    answer = assay("invite", store, "eve", "--reader", "--admin")
    assert answer.code == 2
    assert "must be for one role" in answer.err
