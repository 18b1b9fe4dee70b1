"""The instances of a view are those of the assay, with what services said."""

from typing import Any

from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.instance_view import instances_view
from accuracy_assay.web.surface.parameters import Asked
from accuracy_assay.web.surface.question import Question


def view(room: Any, question: Question | None = None, **options: Any) -> Any:
    about, surface = SurfaceAnswers(room).look(Asked())
    return instances_view(about, room.assay, surface, question or Question(), **options)


def test_labelled_instances_have_label_votes_and_answers(room: Any) -> None:
    pool = room.assay.pool
    ids = pool["id"].to_list()[:4]
    room.assay.tell(ids, ["cat"] * 4, annotator="ann")
    room.assay.tell(ids[:1], ["dog"], annotator="bob")
    found = view(room)
    assert [row.id for row in found.instances] == ids
    assert (found.found, found.labelled) == (4, 4)
    assert found.instances[0].votes == {"cat": 1, "dog": 1}
    assert found.shown == {"text": "text", "picture": "image"}
    for row, guess in zip(found.instances, pool["guess"], strict=False):
        assert row.answers["reader"].answer == guess
        assert row.answers["reader"].score == float(guess == "cat")


def test_conditions_and_pages_choose(room: Any) -> None:
    pool = room.assay.pool
    room.assay.tell(pool["id"].to_list()[:10], ["cat"] * 10)
    women = [r["id"] for r in pool[:10].iter_rows(named=True) if r["sex"] == "f"]
    question = Question({"sex": ["f"]})
    assert [row.id for row in view(room, question).instances] == women
    assert [row.id for row in view(room, question, offset=1, limit=2).instances] == women[1:3]
    every = view(room, question, labelled_only=False)
    assert every.found == pool.filter(sex="f").height
    assert every.labelled == len(women)
    assert every.average.support == every.found


def test_no_label_is_said_in_words(room: Any) -> None:
    found = view(room)
    assert found.instances == []
    assert found.remarks == [
        "No labelled instance is in these arms; their estimate is borrowed from arms alike."
    ]
