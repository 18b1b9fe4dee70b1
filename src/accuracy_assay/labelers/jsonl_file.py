"""JSON lines: one object per task; answers have ``id`` and ``label``.

An answer may also have ``annotator``, ``seconds``, ``attributes`` (an object of those that were
confirmed) and ``skipped`` (true). A line without a label has no answer yet.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError
from accuracy_assay.files.mistakes import Mistakes
from accuracy_assay.files.texts import as_text
from accuracy_assay.labelers.files import read_text, seconds_of, write_tasks
from accuracy_assay.protocols import LabelTask, Returned

__all__ = ["JsonlFile"]


@dataclass(frozen=True)
class JsonlFile:
    """Tasks and answers as one JSON object per line."""

    def write(self, tasks: Sequence[LabelTask], choices: Sequence[str], path: Path) -> None:
        """Write one line per task."""
        lines = [json.dumps(_content(task, choices), default=str) for task in tasks]
        write_tasks(path, "".join(f"{line}\n" for line in lines))

    def read(self, path: Path) -> Sequence[Returned]:
        """Return the lines with a label, or that say they were skipped."""
        mistakes = Mistakes(f"answers in {path.name}")
        answers: list[Returned] = []
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if line.strip():
                with mistakes.noting():
                    answers += _answer(line, f"line {number} of {path.name}")
        mistakes.raise_any()
        return answers


def _content(task: LabelTask, choices: Sequence[str]) -> dict[str, Any]:
    content: dict[str, Any] = {
        "id": task.id,
        "show": {column: value for _, column, value in task.show},
        "arm": task.arm,
        "why": task.why,
        "choices": list(choices),
    }
    if task.annotator:
        content["annotator"] = task.annotator
    if task.predictions:
        content["predictions"] = {name: said for name, said, _ in task.predictions}
    return content


def _answer(line: str, where: str) -> Iterator[Returned]:
    """Yield the answer in a line, if there is one."""
    try:
        content = json.loads(line, object_pairs_hook=partial(_once, where=where))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} must be a JSON object; got {error}.") from None
    if not isinstance(content, Mapping) or "id" not in content:
        raise InputError(f"{where} must be an object with an 'id'; got {line[:80]!r}.")
    label = content.get("label")
    if content.get("skipped") is True or isinstance(label, dict | list) or as_text(label):
        yield _returned(content, where)


def _once(pairs: Sequence[tuple[str, Any]], where: str) -> dict[str, Any]:
    """Return an object; JSON itself would let the last of equal names win."""
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise InputError(f"{name!r} must stand once in {where}; got it {count} times.")
    return dict(pairs)


def _returned(content: Mapping[str, Any], where: str) -> Returned:
    for name in ("id", "label", "annotator"):
        if isinstance(content.get(name), dict | list):
            raise InputError(f"{name!r} of {where} must be a text; got {content[name]!r}.")
    attributes = content.get("attributes") or {}
    if not isinstance(attributes, Mapping):
        raise InputError(f"'attributes' of {where} must be an object; got {attributes!r}.")
    return Returned(
        as_text(content["id"]),
        None if content.get("skipped") is True else as_text(content["label"]),
        as_text(content.get("annotator")) or None,
        {name: as_text(value) for name, value in attributes.items()},
        seconds_of(content.get("seconds"), where),
    )
