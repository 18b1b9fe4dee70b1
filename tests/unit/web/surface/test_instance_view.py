"""The instances of a view are those of the assay, with what services said."""

from typing import Any

from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.instance_view import instances_view
from accuracy_assay.web.surface.queries import InstancesQuery, ViewQuery


def view(served: Any, **asked: Any) -> Any:
    about, surface = SurfaceAnswers(served.assay, served.live).look(ViewQuery())
    return instances_view(about, served.assay, surface, InstancesQuery(**asked))


def test_labelled_instances_have_label_votes_and_answers(served: Any) -> None:
    pool = served.assay.pool
    ids = pool["id"].to_list()[:4]
    served.assay.tell(ids, ["cat"] * 4, annotator="ann")
    served.assay.tell(ids[:1], ["dog"], annotator="bob")
    found = view(served)
    scores = [row.answers["reader"].score for row in found.instances]
    assert scores == sorted(scores)  # what the service got wrong comes first
    found.instances.sort(key=lambda row: ids.index(row.id))
    assert [row.id for row in found.instances] == ids
    assert (found.found, found.labelled) == (4, 4)
    assert found.instances[0].votes == {"cat": 1, "dog": 1}
    assert found.shown == {"text": "text", "picture": "image"}
    for row, guess in zip(found.instances, pool["guess"], strict=False):
        assert row.answers["reader"].answer == guess
        assert row.answers["reader"].score == float(guess == row.label)


def test_conditions_and_pages_choose(served: Any) -> None:
    pool = served.assay.pool
    served.assay.tell(pool["id"].to_list()[:10], ["cat"] * 10)
    women = [r["id"] for r in pool[:10].iter_rows(named=True) if r["sex"] == "f"]
    where = ["sex:f"]
    assert [row.id for row in view(served, where=where).instances] == women
    part = view(served, where=where, offset=1, limit=2)
    assert [row.id for row in part.instances] == women[1:3]
    every = view(served, where=where, which="all")
    assert every.found == pool.filter(sex="f").height
    assert every.labelled == len(women)
    assert every.average.support == every.found


def test_no_label_is_said_in_words(served: Any) -> None:
    found = view(served)
    assert found.instances == []
    assert found.remarks == [
        "These arms have no labels; their estimate is borrowed from similar arms."
    ]
