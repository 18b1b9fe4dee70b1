import json

import pytest

import accuracy_assay as aa


def test_a_new_assay_has_spent_nothing(assay, store: str) -> None:
    text = assay("status", store).out
    assert "0 of 80 instances labelled; 0 of a budget of 30 used" in text
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


def test_zero_labels_say_so_and_the_next_command_is_shown(assay, store: str) -> None:
    text = assay("status", store).out
    assert "no labels yet" in text
    assert "next: label more: assay label my.assay" in text
    assay("ask", store, 2)
    assert "next: answer what is held" in assay("status", store).out


def test_the_agreement_so_far_is_shown_with_what_it_means(assay, store: str) -> None:
    with aa.Assay.open(store) as opened:
        rows = opened.pool.head(4)
        wrong = "cat" if rows["good_pred"][3] == "dog" else "dog"
        opened.tell(rows["id"], [*rows["good_pred"][:3], wrong])
    text = assay("status", store).out
    assert "75.0%" in text
    assert "the plain mean over the labels so far" in text
    found = json.loads(assay("status", store, "--json").out)
    assert (found["services"][0]["agreement"], found["services"][0]["agreement_labels"]) == (
        0.75,
        4,
    )
    assert found["next"].startswith("label more")


def test_a_spent_budget_points_to_the_surface(assay, store: str) -> None:
    assay("run", store, "--answers", "labels.csv")
    assert "see the surface: assay surface my.assay" in assay("status", store).out


def test_the_goal_and_the_check_without_a_model_are_shown(assay, store: str) -> None:
    with aa.Assay.open(store) as opened:
        opened.edit(
            {"assay": {"stop": {"half_width": 0.05, "for": "overall"}, "strategy": "random"}}
        )
        for _ in range(2):
            ids = opened.ask(10)["id"]
            opened.tell(ids, ["cat"] * ids.len())
        opened.ask(1)
    text = assay("status", store).out
    assert "asking ends at 5.0%" in text
    assert "check: without a model, from how labels were drawn" in text


def test_a_check_that_is_not_available_is_said_to_be_so(assay, store: str) -> None:
    with aa.Assay.open(store) as opened:
        opened.edit({"assay": {"strategy": "largest-variance"}})
        ids = opened.ask(12)["id"]
        opened.tell(ids, ["cat"] * ids.len())
        opened.ask(1)
    assert "check: not available" in assay("status", store).out
