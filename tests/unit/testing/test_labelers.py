"""Each law of a labeler is broken by a labeler that was made to break it, and only then."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from accuracy_assay.labelers.csv_file import CsvFile
from accuracy_assay.protocols import Labeler, LabelTask, Returned
from accuracy_assay.testing import LabelerLaws


class Hasty(CsvFile):
    """Answers all by itself, forgets the last task and leaves a file behind."""

    def write(self, tasks: Sequence[LabelTask], choices: Sequence[str], path: Path) -> None:
        super().write(tasks[:-1], choices, path)
        path.with_name("left.part").touch()

    def read(self, path: Path) -> Sequence[Returned]:
        return [Returned("x1", "cat")]


@pytest.mark.parametrize(
    "law",
    [
        "tasks_that_nobody_answered_have_no_answers",
        "every_task_is_written_and_nothing_else_is_left",
        "a_file_that_is_not_there_or_no_text_is_refused",
    ],
)
def test_a_law_can_be_broken(law: str, tmp_path: Path) -> None:
    for made, is_kept in ((CsvFile(), True), (Hasty(), False)):

        class Laws(LabelerLaws):
            def make(self, made: Labeler = made) -> Labeler:
                return made

        folder = tmp_path / str(is_kept)
        folder.mkdir()
        action = getattr(Laws(), f"test_{law}")
        if is_kept:
            action(folder / "tasks.csv")
            continue
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            action(folder / "tasks.csv")


def test_what_only_writes_is_no_labeler() -> None:
    class Laws(LabelerLaws):
        def make(self) -> Labeler:
            return object()  # type: ignore[return-value]

    with pytest.raises(AssertionError):
        Laws().test_a_labeler_follows_the_protocol()
