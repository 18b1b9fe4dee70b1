import json

import pytest


def test_a_new_assay_has_spent_nothing(assay, store: str) -> None:
    text = assay("status", store).out
    assert "0 of 80 instances labelled; 0 of 30 of the budget used" in text
    assert "nobody yet" in text
    assert "good" in text


def test_every_annotator_is_counted_and_disagreements_are_shown(assay, store: str) -> None:
    assay("tell", store, "x1=cat", "x2=cat", "--annotator", "ann")
    assay("tell", store, "x1=dog", "--annotator", "bob")
    status = json.loads(assay("status", store, "--json").out)
    assert [d["id"] for d in status["disagreements"]] == ["x1"]
    text = assay("status", store).out
    assert "answers: ann 2, bob 1; 1 disputed" in text
    assert "cat: 1, dog: 1" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.assay",), "existing file; got 'none.assay'"),
        (("mysql://host/db",), "store must be one of"),
        (("my.assay", "--name", "other"), "assay must be one of [pool]"),
    ],
)
def test_mistakes_are_named(assay, store: str, arguments: tuple[str, ...], message: str) -> None:
    answer = assay("status", *arguments)
    assert answer.code == 2
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_a_store_that_is_away_is_no_mistake_of_the_user(assay) -> None:
    answer = assay("status", "postgresql://ann:hunter2@127.0.0.1:1/none")
    assert answer.code == 1
    assert "hunter2" not in answer.err
