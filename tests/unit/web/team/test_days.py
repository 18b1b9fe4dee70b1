"""The work by day is for admins, and is what the session counts."""

from accuracy_assay.session.days import answers_by_day


def test_admins_get_the_work_by_day(client, served) -> None:
    served.assay.tell(["x1"], ["cat"], "ann")
    found = client("lead", "admin").get("/api/team/days").json()["days"]
    assert found == answers_by_day(served.assay.session)
    assert sum(by["ann"] for by in found.values()) == 1
    assert client("ann").get("/api/team/days").status_code == 403
