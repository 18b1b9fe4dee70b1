"""What every labelling tool that is reached through files keeps to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Labeler, LabelTask
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["LabelerLaws"]

_TASKS = (
    LabelTask("x1", (("text", "words", 'a, "b"\nüñ漢'),), "sex=f", "at random"),
    LabelTask("01", (("text", "words", None),), "", "", (("google", "cat", 0.5),)),
)


class LabelerLaws(Laws):
    """Laws of a `Labeler` of text files; ``ending`` is that of its files."""

    ending: ClassVar[str] = ".txt"

    def make(self) -> Labeler:
        """Return the labeler."""
        raise NotImplementedError("say how the labeler is made")

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        """Return a file that does not exist yet."""
        return tmp_path / f"tasks{self.ending}"

    def test_a_labeler_follows_the_protocol(self) -> None:
        """It writes tasks and reads answers."""
        assert missing_part(self.make(), Labeler) is None

    def test_tasks_that_nobody_answered_have_no_answers(self, path: Path) -> None:
        """What was just written reads back as nothing, and so do no tasks at all."""
        tool = self.make()
        tool.write(_TASKS, ["cat", "dog"], path)
        assert list(tool.read(path)) == []
        tool.write([], [], path)
        assert list(tool.read(path)) == []

    def test_every_task_is_written_and_nothing_else_is_left(self, path: Path) -> None:
        """The file has the id of every task; further files share its name but for the ending."""
        self.make().write(_TASKS, ["cat", "dog"], path)
        text = path.read_text(encoding="utf-8")
        assert all(task.id in text for task in _TASKS)
        assert {p.stem for p in path.parent.iterdir()} == {path.stem}

    def test_a_file_that_is_not_there_or_no_text_is_refused(self, path: Path) -> None:
        """The error names the file, or the folder that is not there."""
        tool, named = self.make(), re.escape(path.name)
        with pytest.raises(InputError, match=rf"existing file.*{named}"):
            tool.read(path)
        path.write_bytes(b"\xff\xfe\xfd")
        with pytest.raises(InputError, match=rf"UTF-8.*{named}"):
            tool.read(path)
        with pytest.raises(InputError, match=r"existing folder.*nowhere"):
            tool.write(_TASKS, [], path.parent / "nowhere" / path.name)
