"""Every labelling tool of the registry keeps the laws of `accuracy_assay.testing`."""

from pathlib import Path

from accuracy_assay.registry import LABELERS, build_labeler
from accuracy_assay.testing import LabelerLaws

ENDINGS = {"csv": ".csv", "jsonl": ".jsonl", "label-studio": ".json"}


def laws_of(name: str) -> type[LabelerLaws]:
    body = {
        "ending": ENDINGS[name],
        "make": lambda self: build_labeler(name, Path(f"tasks{ENDINGS[name]}")),
    }
    return type(f"Test_{name}", (LabelerLaws,), body)


globals().update({f"Test_{name}": laws_of(name) for name in LABELERS})


def test_the_ending_of_a_file_stands_for_its_tool() -> None:
    for name, ending in ENDINGS.items():
        by_ending = build_labeler(None, Path(f"tasks{ending}"))
        assert type(by_ending) is type(build_labeler(name, Path("tasks")))
