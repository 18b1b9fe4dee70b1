"""What every labelling tool promises, checked over each that is registered."""

from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Labeler, LabelTask
from accuracy_assay.registry import LABELERS, build_labeler

ENDINGS = {"csv": ".csv", "jsonl": ".jsonl", "label-studio": ".json"}
TASKS = [
    LabelTask("x1", (("text", "words", 'a, "b"\nüñ漢'),), "sex=f", "at random"),
    LabelTask("01", (("text", "words", None),), "", "", (("google", "cat", 0.5),)),
]


@pytest.fixture(params=sorted(LABELERS))
def labeler(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Labeler, Path]:
    path = tmp_path / f"tasks{ENDINGS[request.param]}"
    return build_labeler(request.param, path), path


def test_the_ending_of_a_file_stands_for_its_tool() -> None:
    for name, ending in ENDINGS.items():
        by_ending = build_labeler(None, Path(f"tasks{ending}"))
        assert type(by_ending) is type(build_labeler(name, Path("tasks")))


def test_tasks_that_nobody_answered_have_no_answers(labeler: tuple[Labeler, Path]) -> None:
    tool, path = labeler
    tool.write(TASKS, ["cat", "dog"], path)
    assert list(tool.read(path)) == []
    tool.write([], [], path)
    assert list(tool.read(path)) == []


def test_every_task_is_written_and_nothing_else_is_left(labeler: tuple[Labeler, Path]) -> None:
    tool, path = labeler
    tool.write(TASKS, ["cat", "dog"], path)
    text = path.read_text(encoding="utf-8")
    assert all(task.id in text for task in TASKS)
    assert not [p for p in path.parent.iterdir() if p.suffix == ".part"]


def test_a_file_that_is_not_there_or_no_text_is_refused(labeler: tuple[Labeler, Path]) -> None:
    tool, path = labeler
    with pytest.raises(InputError, match="existing file"):
        tool.read(path)
    path.write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(InputError, match="UTF-8"):
        tool.read(path)
    with pytest.raises(InputError, match="existing folder"):
        tool.write(TASKS, [], path.parent / "no" / path.name)
