"""Labelling over HTTP does what the session does, and says why where it does not."""


def ids_of(response) -> list[str]:
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.json()["items"]]


def told(client, *answers: tuple[str, str], **rest):
    content = {"answers": [{"id": i, "label": label} for i, label in answers], **rest}
    return client.post("/api/tell", json=content)


def test_asked_held_told_and_seen_again(client, served) -> None:
    ann = client("ann")
    given = ids_of(ann.post("/api/ask", json={"n": 3}))
    assert len(given) == 3
    assert ids_of(ann.get("/api/pending")) == given
    answer = {"id": given[0], "label": "cat", "seconds": 1.5, "attributes": {"sex": "f"}}
    assert ann.post("/api/tell", json={"answers": [answer]}).json() == {"recorded": 1}
    assert ann.post("/api/tell", json={"answers": [answer]}).json() == {"recorded": 0}
    assert ids_of(ann.get("/api/pending")) == given[1:]
    (last,) = ann.get("/api/answers").json()["items"]
    assert (last["id"], last["answer"], last["attributes"]) == (given[0], "cat", {"sex": "f"})
    assert served.assay.labels()["label"].to_list() == ["cat"]


def test_an_answer_is_changed_only_where_it_says_so(client) -> None:
    ann = client("ann")
    assert told(ann, ("x1", "cat")).status_code == 200
    refused = told(ann, ("x1", "dog"))
    assert refused.status_code == 409
    assert "must stay 'cat'" in refused.json()["detail"]
    assert told(ann, ("x1", "dog"), replace=True).json() == {"recorded": 1}


def test_all_answers_of_a_request_or_none(client, served) -> None:
    refused = told(client("ann"), ("x1", "cat"), ("nowhere", "cat"), ("x2", "cow"))
    assert refused.status_code == 400
    assert "nowhere" in refused.json()["detail"]
    assert served.assay.status().labels == 0


def test_skipped_given_back_and_undone(client, served) -> None:
    ann = client("ann")
    first, second, third = ids_of(ann.post("/api/ask", json={"n": 3}))
    assert ann.post("/api/skip", json={"ids": [first], "reason": "dark"}).json() == {"recorded": 1}
    assert ann.post("/api/give-back", json={"ids": [second]}).json() == {"recorded": 1}
    told(ann, (third, "dog"))
    assert ids_of(ann.post("/api/undo")) == [third]
    assert ids_of(ann.get("/api/pending")) == [third]
    assert served.assay.status().skipped == 1
    assert client("bob").post("/api/undo").status_code == 400


def test_where_nothing_is_left_it_says_why(make_served, served, client) -> None:
    ann, bob = client("ann"), client("bob")
    assert len(ids_of(ann.post("/api/ask", json={"n": 40}))) == 40
    ended = bob.post("/api/ask", json={"n": 1}).json()
    held = "all that is left of the budget is held by annotators"
    assert ended == {"items": [], "end": held}


def test_nobody_holds_more_than_one_person_can_answer(make_served, client) -> None:
    ann = client("ann")
    assert ann.post("/api/ask", json={"n": 201}).status_code == 422
    assert len(ids_of(ann.post("/api/ask", json={"n": 10}))) == 10
    refused = ann.post("/api/ask", json={"n": 191})
    assert refused.status_code == 400
    assert "at most 200 instances; got 10 and 191 more" in refused.json()["detail"]


def test_what_cannot_be_read_is_named(client) -> None:
    ann = client("ann")
    for content in ({"n": 0}, {"n": 10**9}, {"n": "x"}, [], {"n": 1.5}):
        assert ann.post("/api/ask", json=content).status_code == 422, content
    for answer in (
        {},
        {"id": "x1"},
        {"id": "x1", "label": ""},
        {"id": "x1", "label": "a" * 20_000},
    ):
        assert ann.post("/api/tell", json={"answers": [answer]}).status_code == 422
    assert ann.post("/api/tell", json={"answers": []}).status_code == 422
    assert ann.post("/api/tell", content=b"{").status_code == 422
    detail = ann.post("/api/ask", json={"n": "secret text"}).text
    assert "secret text" not in detail


def test_two_people_get_different_instances_and_cannot_answer_for_each_other(
    client, served
) -> None:
    ann, bob = client("ann"), client("bob")
    one = ids_of(ann.post("/api/ask", json={"n": 5}))
    two = ids_of(bob.post("/api/ask", json={"n": 5}))
    assert not set(one) & set(two)
    told(bob, (one[0], "cat"))
    assert served.assay.team().members[1].name == "bob"
    assert served.assay.status().annotators == {"bob": 1}
