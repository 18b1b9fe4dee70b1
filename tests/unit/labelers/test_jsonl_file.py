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
