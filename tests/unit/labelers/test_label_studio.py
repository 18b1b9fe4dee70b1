"""Tasks in, answers out, in Label Studio's documented format."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.labelers.label_studio import LabelStudio
from accuracy_assay.protocols import LabelTask, Returned

FILES = Path(__file__).parent / "files"
SHOW = (("audio", "file", "1.wav"), ("text", "note", 'a "b" & <c>'))
TASK = LabelTask("x1", SHOW, "sex=f", "at random")


def annotated(*results: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    annotation = {"result": list(results), "was_cancelled": False, "completed_by": 1, **more}
    return [{"id": 1, "data": {"assay_id": "x1"}, "annotations": [annotation]}]


def chosen(name: str, *choices: str) -> dict[str, Any]:
    return {
        "from_name": name,
        "to_name": "shown",
        "type": "choices",
        "value": {"choices": list(choices)},
    }


def read(content: Any, folder: Path) -> Any:
    path = folder / "export.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return LabelStudio().read(path)


def test_a_json_export_gives_every_annotators_answer_and_the_skips() -> None:
    assert LabelStudio().read(FILES / "export.json") == [
        Returned("x1", "dog", "ann@team", {"sex": "f"}, 4.288),
        Returned("x1", "cat", "11", {}, 12.5),
        Returned("x2", None, "10", {}, 2.0),
    ]


def test_a_json_min_export_gives_the_same_answers() -> None:
    assert LabelStudio().read(FILES / "export_min.json") == [
        Returned("x1", "dog", "10", {"sex": "f"}, 4.288),
        Returned("x4", "cat", "11", {}, 3.5),
    ]


def test_tasks_have_data_and_meta_and_hide_predictions(tmp_path: Path) -> None:
    LabelStudio().write([TASK], ["cat", "dog"], tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert tasks == [
        {
            "data": {"file": "1.wav", "note": 'a "b" & <c>', "assay_id": "x1"},
            "meta": {"arm": "sex=f", "why": "at random"},
        }
    ]


@pytest.mark.parametrize(
    ("choices", "kind", "value"),
    [
        (["cat", "dog"], "choices", {"choices": ["cat"]}),
        ([], "textarea", {"text": ["cat"]}),
    ],
)
def test_predictions_carry_score_and_model_version(
    tmp_path: Path, choices: list[str], kind: str, value: Any
) -> None:
    task = LabelTask("x1", SHOW, "", "", (("google", "cat", 0.75), ("ibm", "cat", None)))
    LabelStudio().write([task], choices, tmp_path / "tasks.json")
    first, second = json.loads((tmp_path / "tasks.json").read_text())[0]["predictions"]
    assert (first["model_version"], first["score"]) == ("google", 0.75)
    assert "score" not in second
    assert first["result"] == [
        {"from_name": "label", "to_name": "shown", "type": kind, "value": value}
    ]


def test_the_configuration_fits_the_tasks(tmp_path: Path) -> None:
    LabelStudio().write([TASK], ["cat", 'a "dog"'], tmp_path / "tasks.json")
    view = ElementTree.parse(tmp_path / "tasks.xml").getroot()
    assert [(e.tag, e.get("name"), e.get("value")) for e in view[:2]] == [
        ("Audio", "shown", "$file"),
        ("Text", "shown2", "$note"),
    ]
    assert (view[2].tag, view[2].get("name"), view[2].get("toName")) == (
        "Choices",
        "label",
        "shown",
    )
    assert [c.get("value") for c in view[2]] == ["cat", 'a "dog"']
    LabelStudio().write([LabelTask("x1", (), "", "")], [], tmp_path / "bare.json")
    view = ElementTree.parse(tmp_path / "bare.xml").getroot()
    assert [(e.tag, e.get("name"), e.get("value")) for e in view] == [
        ("Text", "shown", "$assay_id"),
        ("TextArea", "label", None),
    ]


def test_the_answer_of_a_project_with_other_names_is_found(tmp_path: Path) -> None:
    assert read(annotated(chosen("animal", "cat")), tmp_path)[0].label == "cat"
    text = {"from_name": "t", "to_name": "a", "type": "textarea", "value": {"text": ["hello"]}}
    assert read(annotated(text), tmp_path)[0].label == "hello"
    box = {
        "from_name": "b",
        "type": "rectanglelabels",
        "value": {"x": 1, "rectanglelabels": ["q"]},
    }
    assert read(annotated(box, chosen("label", "cat")), tmp_path)[0].label == "cat"
    assert read(annotated(), tmp_path) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"tasks": []}, "must be a list of tasks; got dict"),
        ([3], "task 1 of export.json must be an object; got 3"),
        ([{"data": {}, "annotations": []}], "task 1 of export.json must have 'assay_id'"),
        ([{"label": "cat"}], "must have 'assay_id'"),
        ([{"data": {"assay_id": "x"}, "annotations": 3}], "annotations .* must be a list"),
        ([{"data": {"assay_id": "x"}, "annotations": [3]}], "must be an object; got 3"),
        (annotated(lead_time="soon"), "number of seconds; got 'soon'"),
        (annotated(chosen("label", "cat", "dog")), r"one choice or text; got .*\['cat', 'dog'\]"),
        (annotated(chosen("a", "cat"), chosen("b", "dog")), r"one answer.*\['a', 'b'\]"),
        (annotated(result=3), "must be a list of objects; got 3"),
    ],
)
def test_what_is_no_export_is_named(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(content, tmp_path)


def test_a_file_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    for content in (b"[{", b"\xff\xfe", b"", b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"export\.json"):
            LabelStudio().read(path)
    with pytest.raises(InputError, match="existing file"):
        LabelStudio().read(tmp_path / "none.json")


def test_an_answer_is_by_whom_the_tool_names_or_whom_the_task_was_made_for(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    LabelStudio().write([LabelTask("x1", (), "", "", (), "ann")], [], path)
    (task,) = json.loads(path.read_text())
    value = {"from_name": "label", "value": {"text": ["cat"]}}
    for by, who in (({}, "ann"), ({"completed_by": {"email": "bob@x"}}, "bob@x")):
        path.write_text(json.dumps([task | {"annotations": [{"result": [value], **by}]}]))
        assert [answer.annotator for answer in LabelStudio().read(path)] == [who]


def test_every_bad_task_is_named(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([3, {"data": {}}, {"data": {"assay_id": "x"}}]))
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*task 1 of .*\n.*task 2 of"):
        LabelStudio().read(path)
