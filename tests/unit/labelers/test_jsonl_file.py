"""Tasks as JSON lines, and the answers that came back."""

import json
from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.labelers.jsonl_file import JsonlFile
from accuracy_assay.protocols import LabelTask, Returned

TASKS = [
    LabelTask("x1", (("audio", "file", "a, b.wav"),), "sex=f", "at random"),
    LabelTask(
        "007", (("audio", "file", 'q"\nz'),), "sex=m", "at random", (("google", "cat", 0.5),)
    ),
]


def test_jsonl_tasks_and_answers(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    JsonlFile().write(TASKS, ["cat", "dog"], path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {
        "id": "x1",
        "show": {"file": "a, b.wav"},
        "arm": "sex=f",
        "why": "at random",
        "choices": ["cat", "dog"],
    }
    assert lines[1]["predictions"] == {"google": "cat"}
    assert JsonlFile().read(path) == []
    answer = {"label": 3.0, "annotator": "ann", "seconds": 1, "attributes": {"sex": "f"}}
    answered = [lines[0] | answer, {"id": 7, "skipped": True}, lines[1]]
    path.write_text("\n\n".join(map(json.dumps, answered)), encoding="utf-8")
    assert JsonlFile().read(path) == [
        Returned("x1", "3", "ann", {"sex": "f"}, 1.0),
        Returned("7", None),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1 of a.jsonl must be a JSON object"),
        ('{"id": "x"}\n3', "line 2 of a.jsonl must be an object with an 'id'; got '3'"),
        ('{"id": "x", "label": {"a": 1}}', "'label' of line 1 of a.jsonl must be a text"),
        ('{"id": "x", "label": "c", "attributes": 3}', "'attributes' .* must be an object"),
    ],
)
def test_bad_json_lines_are_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        JsonlFile().read(path)


def test_a_task_remembers_whom_it_was_made_for(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    JsonlFile().write([LabelTask("x1", (), "", "", (), "ann")], [], path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"label": "cat"}))
    assert JsonlFile().read(path) == [Returned("x1", "cat", "ann")]


def test_a_name_that_stands_twice_in_a_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "x", "label": "cat", "label": "dog"}')
    with pytest.raises(InputError, match=r"'label' must stand once in line 1 of a\.jsonl"):
        JsonlFile().read(path)


def test_every_bad_line_is_named_and_a_number_that_is_none_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "label": NaN}\n{"id": 2, "label": "2.0"}')
    assert JsonlFile().read(path) == [Returned("2", "2.0")]
    path.write_text("{\n" + "[" * 100_000 + "\n" + '{"id": ' + "9" * 5000 + "}\n3")
    with pytest.raises(InputError, match="got 4 mistakes") as error:
        JsonlFile().read(path)
    assert [f"line {n} " in str(error.value) for n in (1, 2, 3, 4)] == [True] * 4
