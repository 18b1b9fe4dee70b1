"""A project: found or made, set up, filled, read and put into order."""

from collections.abc import Iterator
from typing import Any

import pytest
from label_studio_fake import TOKEN, FakeLabelStudio, fake_label_studio

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.labelers.label_studio import configuration
from accuracy_assay.labelers.label_studio_project import (
    LabelStudioProject,
    create_project,
    find_project,
)
from accuracy_assay.labelers.label_studio_server import LabelStudioServer
from accuracy_assay.protocols import LabelTask, Returned

TEXT = 'a "quoted" & <b> [bracket] ünï $x'
CHOICES = ("cat", 'a "dog"')


def task(name: str) -> LabelTask:
    return LabelTask(name, (("text", "note", TEXT),), "sex=f", "at random")


@pytest.fixture
def fake() -> Iterator[FakeLabelStudio]:
    with fake_label_studio() as running:
        yield running


@pytest.fixture
def server(fake: FakeLabelStudio) -> Iterator[LabelStudioServer]:
    found = LabelStudioServer(fake.url, TOKEN)
    yield found
    found.close()


@pytest.fixture
def project(server: LabelStudioServer) -> LabelStudioProject:
    made = create_project(server, "pets", configuration([("text", "note")], CHOICES))
    made.set_up("<View/>", 1)
    return made


def test_a_project_is_found_by_its_whole_title(
    fake: FakeLabelStudio, server: LabelStudioServer
) -> None:
    assert find_project(server, "pets") is None
    for title in ("pets 2", "pets", "my pets"):
        create_project(server, title, "<View/>")
    found = find_project(server, "pets")
    assert found is not None
    assert fake.projects[found.number]["title"] == "pets"
    assert found.place == f"{fake.url.removeprefix('http://')}/projects/{found.number}"
    create_project(server, "pets", "<View/>")
    with pytest.raises(InputError, match=r"title of projects [0-9]+, [0-9]+\. Name it by its nu"):
        find_project(server, "pets")


def test_a_project_is_set_up_so_that_nobody_sees_a_prediction_and_the_lowest_score_is_first(
    fake: FakeLabelStudio, project: LabelStudioProject
) -> None:
    found = fake.projects[project.number]
    assert found["sampling"] == "Uncertainty sampling"
    assert found["show_collab_predictions"] is False
    assert found["skip_queue"] == "IGNORE_SKIPPED"
    assert (found["maximum_annotations"], found["enable_empty_annotation"]) == (1, False)
    fake.calls.clear()
    project.set_up("<View/>", 1)
    assert [call.split()[0] for call in fake.calls] == ["GET"]


def test_a_configuration_of_the_users_own_stays(
    fake: FakeLabelStudio, server: LabelStudioServer, project: LabelStudioProject
) -> None:
    before = fake.projects[project.number]["label_config"]
    project.set_up("<View>another</View>", 2)
    assert fake.projects[project.number]["label_config"] == before
    for empty in ("<View></View>", "<View/>", "", " <View>\n</View> "):
        bare = create_project(server, "bare", empty)
        bare.set_up("<View>ours</View>", 1)
        assert fake.projects[bare.number]["label_config"] == "<View>ours</View>"


def test_tasks_come_back_as_they_were_pushed_with_a_score_and_no_prediction(
    fake: FakeLabelStudio, project: LabelStudioProject
) -> None:
    project.push([task("x1"), task("x[2]")], CHOICES, "assay 1", {"x1": 1.0, "x[2]": 0.0})
    reading = project.read()
    assert [(t.instance, t.n_people) for t in reading.tasks] == [("x1", 0), ("x[2]", 0)]
    assert (reading.answers, reading.mistakes) == ((), {})
    assert [t["data"] for t in fake.tasks.values()] == [
        {"note": TEXT, "assay_id": "x1"},
        {"note": TEXT, "assay_id": "x[2]"},
    ]
    assert [p["result"] for p in fake.predictions] == [[], []]


def test_a_new_version_puts_tasks_into_a_new_order_and_ends_the_old_ones(
    fake: FakeLabelStudio, project: LabelStudioProject
) -> None:
    assert project.next_version() == "assay 1"
    project.push([task(i) for i in "abc"], CHOICES, "assay 1", {"a": 0.0, "b": 0.5, "c": 1.0})
    project.rank("assay 1", {})
    a, b, c = fake.serve(project.number)
    fake.predictions.append(
        {"task": a, "project": project.number, "model_version": "my model", "score": 0.5}
    )
    assert project.next_version() == "assay 2"
    project.rank("assay 2", {a: 1.0, b: 0.0, c: 0.5})
    assert fake.serve(project.number) == [b, c, a]
    assert {p["model_version"] for p in fake.predictions} == {"assay 2", "my model"}
    assert fake.projects[project.number]["model_version"] == "assay 2"
    assert project.next_version() == "assay 3"
    with pytest.raises(ServiceError, match="must keep the scores of 2 tasks; got 1 kept"):
        project.rank("assay 3", {a: 2.0, b: 0.0})
    assert fake.projects[project.number]["model_version"] == "assay 2"


def test_a_server_with_a_limit_is_read_page_by_page_and_again_if_tasks_vanish_meanwhile(
    fake: FakeLabelStudio, project: LabelStudioProject
) -> None:
    fake.most_per_page = 3
    names = [f"x{i}" for i in range(20)]
    project.push([task(i) for i in names], CHOICES, "assay 1", dict.fromkeys(names, 0.0))
    assert [t.instance for t in project.read().tasks] == names
    assert project.instances() == set(names)
    real, n_left = fake._tasks, [1]

    def vanishing(query: Any, content: Any) -> Any:
        answer = real(query, content)
        if n_left and len(fake.tasks) > 1:
            del fake.tasks[min(fake.tasks)]
            n_left.pop()
        return answer

    fake._tasks = vanishing  # type: ignore[method-assign]
    assert [t.instance for t in project.read().tasks] == names[1:]
    n_left[:] = [1] * 30
    with pytest.raises(ServiceError, match="must stand still"):
        project.read()


def test_answers_are_by_email_and_the_latest_of_a_person_counts(
    fake: FakeLabelStudio, project: LabelStudioProject
) -> None:
    project.push([task("x1"), task("x2")], CHOICES, "assay 1", {"x1": 0.0, "x2": 1.0})
    first, second = fake.tasks
    fake.answer(first, "cat", who=1)
    fake.answer(first, 'a "dog"', who=1)
    fake.answer(first, "cat", who=2)
    fake.answer(second, "cat", who=77)
    fake.skip(second, who=2)
    fake.tasks[999] = {"id": 999, "project": project.number, "data": {"own": 1}, "annotations": []}
    reading = project.read()
    assert set(map(repr, reading.answers)) == {
        repr(Returned("x1", 'a "dog"', "ann@x.org", {}, 2.5)),
        repr(Returned("x1", "cat", "bob@x.org", {}, 2.5)),
        repr(Returned("x2", "cat", "77", {}, 2.5)),
        repr(Returned("x2", None, "bob@x.org", {}, 2.5)),
    }
    assert [t.n_people for t in reading.tasks] == [2, 2]


def test_an_annotation_without_an_answer_is_a_skip_and_one_that_cannot_be_read_is_named(
    fake: FakeLabelStudio, project: LabelStudioProject
) -> None:
    project.push([task("x1"), task("x2")], CHOICES, "assay 1", {"x1": 0.0, "x2": 1.0})
    first, second = fake.tasks
    fake.annotate(first)
    two = {"from_name": "label", "value": {"choices": ["cat", 'a "dog"']}}
    fake.annotate(second, result=[two])
    reading = project.read()
    assert reading.answers == (Returned("x1", None, "ann@x.org"),)
    assert set(reading.mistakes) == {"x2"}
    assert f"task {second} of project" in reading.mistakes["x2"]
