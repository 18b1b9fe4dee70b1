"""Label Studio: tasks for its import, and answers from its JSON and JSON_MIN exports.

A task's ``data`` has ``assay_id``, the shown columns and whom it was made for, its ``meta`` the
arm and the reason. Beside the tasks stands the labelling configuration that fits them,
``<name>.xml``. In it the answer comes from the control ``label``, a confirmed attribute from
``confirmed_<attribute>``. The same tasks, configuration and answers serve a live server
(`label_studio_project`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from accuracy_assay.errors import InputError
from accuracy_assay.files.mistakes import Mistakes
from accuracy_assay.files.texts import as_text
from accuracy_assay.labelers.files import CONFIRMED, read_text, seconds_of, write_tasks
from accuracy_assay.protocols import LabelTask, Returned

__all__ = ["ID", "LabelStudio", "answers_of", "configuration", "instance_of", "task_content"]

ID = "assay_id"
"""The key of the instance in the data of a task."""
_FOR, _LABEL, _OBJECT = "assay_annotator", "label", "shown"
_TAGS = {"text": "Text", "image": "Image", "audio": "Audio", "table": "Table"}
_VALUES = ("choices", "text", "number", "rating", "taxonomy")


@dataclass(frozen=True)
class LabelStudio:
    """Tasks and answers as Label Studio's JSON."""

    def write(self, tasks: Sequence[LabelTask], choices: Sequence[str], path: Path) -> None:
        """Write the tasks, and the labelling configuration beside them."""
        content = [task_content(task, choices) for task in tasks]
        write_tasks(path, json.dumps(content, indent=1, default=str))
        if tasks:
            shown = [(kind, column) for kind, column, _ in tasks[0].show]
            write_tasks(path.with_suffix(".xml"), configuration(shown, choices))

    def read(self, path: Path) -> Sequence[Returned]:
        """Return the answers of an export, skipped tasks among them."""
        try:
            tasks = json.loads(read_text(path))
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"answers must be a JSON export of Label Studio; got {str(path)!r}: {error}."
            ) from None
        if not isinstance(tasks, list):
            raise InputError(
                f"answers must be a list of tasks; got {type(tasks).__name__} in {path.name}. "
                "Export as JSON or JSON_MIN."
            )
        mistakes = Mistakes(f"answers in {path.name}")
        answers: list[Returned] = []
        for number, task in enumerate(tasks, start=1):
            with mistakes.noting():
                answers += answers_of(task, f"task {number} of {path.name}")
        mistakes.raise_any()
        return answers


def task_content(task: LabelTask, choices: Sequence[str]) -> dict[str, Any]:
    """Return a task as Label Studio imports it."""
    content: dict[str, Any] = {
        "data": {
            **{column: value for _, column, value in task.show},
            ID: task.id,
            **({_FOR: task.annotator} if task.annotator else {}),
        },
        "meta": {"arm": task.arm, "why": task.why},
    }
    if task.predictions:
        content["predictions"] = [
            {
                "model_version": service,
                **({} if confidence is None else {"score": confidence}),
                "result": [_result(prediction, choices)],
            }
            for service, prediction, confidence in task.predictions
        ]
    return content


def configuration(shown: Sequence[tuple[str, str]], choices: Sequence[str]) -> str:
    """Return the labelling configuration for tasks that show these kinds and columns."""
    shown = shown or [("text", ID)]
    names = [_OBJECT, *(f"{_OBJECT}{i}" for i in range(2, len(shown) + 1))]
    lines = [
        f"  <{_TAGS[kind]} name={quoteattr(name)} value={quoteattr('$' + column)}/>"
        for name, (kind, column) in zip(names, shown, strict=True)
    ]
    control = f'name="{_LABEL}" toName="{_OBJECT}"'
    if choices:
        options = [f"    <Choice value={quoteattr(choice)}/>" for choice in choices]
        lines += [f'  <Choices {control} choice="single" required="true">', *options]
        lines += ["  </Choices>"]
    else:
        lines += [f'  <TextArea {control} maxSubmissions="1" required="true"/>']
    return "\n".join(["<View>", *lines, "</View>", ""])


def answers_of(task: Any, where: str) -> Iterator[Returned]:
    """Yield the answers to a task of an export; errors call it ``where``.

    Raises
    ------
    InputError
        If it is no task of ours, or an annotation holds something else than one answer.
    """
    if not isinstance(task, Mapping):
        raise InputError(f"{where} must be an object; got {task!r:.80}.")
    if "annotations" not in task and "data" not in task:
        yield from _short_answer(task, where)
        return
    data = task["data"] if isinstance(task.get("data"), Mapping) else {}
    instance, made_for = instance_of(data, where), _person(data.get(_FOR))
    annotations = task.get("annotations") or []
    if not isinstance(annotations, list):
        raise InputError(f"annotations of {where} must be a list; got {annotations!r:.80}.")
    for annotation in annotations:
        if not isinstance(annotation, Mapping):
            raise InputError(f"annotation in {where} must be an object; got {annotation!r:.80}.")
        yield from _long_answer(instance, annotation, made_for, where)


def instance_of(data: Mapping[str, Any], where: str) -> str:
    """Return the instance that the data of a task are about."""
    name = data.get(ID)
    if name is None or isinstance(name, dict | list):
        raise InputError(
            f"data of {where} must have {ID!r}; got none. Was it made by this package?"
        )
    return as_text(name)


def _result(prediction: str, choices: Sequence[str]) -> dict[str, Any]:
    kind, key = ("choices", "choices") if choices else ("textarea", "text")
    return {"from_name": _LABEL, "to_name": _OBJECT, "type": kind, "value": {key: [prediction]}}


def _long_answer(
    instance: str, annotation: Mapping[str, Any], made_for: str | None, where: str
) -> Iterator[Returned]:
    """Read one of ``annotations`` of the JSON export."""
    who = _person(annotation.get("completed_by")) or made_for
    seconds = seconds_of(annotation.get("lead_time"), where)
    if annotation.get("was_cancelled") is True:
        yield Returned(instance, None, who, seconds=seconds)
        return
    results = annotation.get("result") or []
    if not isinstance(results, list) or not all(isinstance(r, Mapping) for r in results):
        raise InputError(f"result in {where} must be a list of objects; got {results!r:.80}.")
    said = {
        str(r.get("from_name")): _content(r.get("value"), where)
        for r in results
        if _is_answer(r.get("value"))
    }
    if said:
        yield _returned(instance, said, who, seconds, where)


def _short_answer(task: Mapping[str, Any], where: str) -> Iterator[Returned]:
    """Read one task of the JSON_MIN export, where controls are beside the data."""
    instance = instance_of(task, where)
    names = [n for n in task if n == _LABEL or n.startswith(CONFIRMED)]
    said = {name: _content(task[name], where) for name in names if task[name] not in (None, "")}
    if _LABEL in said:
        who = _person(task.get("annotator")) or _person(task.get(_FOR))
        yield _returned(instance, said, who, seconds_of(task.get("lead_time"), where), where)


def _person(annotator: Any) -> str | None:
    """Return the name of an annotator: an email where the export has one, else a number."""
    if isinstance(annotator, Mapping):
        annotator = annotator.get("email") or annotator.get("id")
    if annotator is None or isinstance(annotator, dict | list):
        return None
    return as_text(annotator) or None


def _is_answer(value: Any) -> bool:
    return isinstance(value, Mapping) and any(key in value for key in _VALUES)


def _content(value: Any, where: str) -> str:
    """Return the one text in a value: bare, in a list, or in an object such as ``choices``."""
    found = value
    if isinstance(found, Mapping):
        found = next((found[key] for key in _VALUES if key in found), None)
    while isinstance(found, list) and len(found) == 1:
        found = found[0]
    if found is None or isinstance(found, dict | list):
        raise InputError(f"answer in {where} must be one choice or text; got {value!r:.80}.")
    return as_text(found)


def _returned(
    instance: str, said: Mapping[str, str], who: str | None, seconds: float | None, where: str
) -> Returned:
    answers = {name: text for name, text in said.items() if not name.startswith(CONFIRMED)}
    if _LABEL not in answers and len(answers) != 1:
        raise InputError(
            f"{where} must have one answer, or one from the control {_LABEL!r}; got those of "
            f"{sorted(answers)}."
        )
    label = answers.get(_LABEL) or next(iter(answers.values()))
    confirmed = {n.removeprefix(CONFIRMED): t for n, t in said.items() if n.startswith(CONFIRMED)}
    return Returned(instance, label, who, confirmed, seconds)
