"""The tasks by name: those that ship, and those whose data lie in the user's folder.

A name may carry settings (``synthetic:rows=50000,values=3``, ``mf-celeba:n_pool=5000``) and the
ending ``-exact``, which hands over the gold attributes of a task whose attributes are otherwise
guessed. A path that ends in ``.toml`` is a user's own task.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.tasks.task import Task
from accuracy_assay.tasks.task_file import read_task

__all__ = ["DATA_TASKS", "EMBEDDED_TASKS", "PAPER_TASKS", "load_task", "task_names"]

EMBEDDED_TASKS: Mapping[str, str] = {
    "digits": "accuracy_assay.tasks.digits:digits",
    "simple": "accuracy_assay.tasks.simple:simple",
    "synthetic": "accuracy_assay.tasks.synthetic:synthetic",
}
DATA_TASKS: Mapping[str, str] = {
    "adult5": "accuracy_assay.tasks.adult:adult5",
    "adult6": "accuracy_assay.tasks.adult:adult6",
    "am2g": "accuracy_assay.tasks.audiomnist:am2g",
    "am2d": "accuracy_assay.tasks.audiomnist:am2d",
    "am1n": "accuracy_assay.tasks.audiomnist:am1n",
    "am1n-deepspeech": "accuracy_assay.tasks.audiomnist:am1n_deepspeech",
    "whisper-text": "accuracy_assay.tasks.whisper:whisper_text",
}
PAPER_TASKS: Mapping[str, str] = {
    "mf-celeba": "accuracy_assay.tasks.celeba:mf_celeba",
    "mf-imdb": "accuracy_assay.tasks.celeba:mf_imdb",
    "ac-cocos": "accuracy_assay.tasks.cocostuff:ac_cocos",
    "ac-cocos10k": "accuracy_assay.tasks.cocostuff:ac_cocos10k",
}
_EXACT = "-exact"


def task_names() -> tuple[str, ...]:
    """Return every name that ``load_task`` takes, without settings and endings."""
    return (*EMBEDDED_TASKS, *DATA_TASKS, *PAPER_TASKS)


def load_task(name: str, data: Path | None = None) -> Task:
    """Return the task called ``name``.

    Parameters
    ----------
    name
        A task's name, for instance ``digits``, ``digits-exact`` or ``synthetic:rows=5000``, or
        the path of a task file (see ``task_file``).
    data
        Folder with the tables of the tasks that do not ship.

    Raises
    ------
    InputError
        If the name, a setting or the data folder is wrong.
    """
    if name.endswith(".toml"):
        return replace(read_task(Path(name)), name=name)
    plain, _, settings = name.partition(":")
    plain, is_exact = plain.removesuffix(_EXACT), plain.endswith(_EXACT)
    if plain not in task_names():
        raise UnknownNameError("task", plain, task_names())
    task = replace(_load(plain, settings, data), name=name)
    return replace(task, evidence={}, from_label=()) if is_exact else task


def _load(name: str, settings: str, data: Path | None) -> Task:
    if name == "synthetic":
        from accuracy_assay.tasks.synthetic import Shape, synthetic

        return synthetic(Shape(**_numbers(name, settings, {f.name for f in fields(Shape)})))
    if name in ("mf-celeba", "mf-imdb"):
        from accuracy_assay.tasks.celeba import mf_celeba, mf_imdb
        from accuracy_assay.tasks.celeba_files import Split

        split = Split(**_numbers(name, settings, {f.name for f in fields(Split)}))
        return (mf_celeba if name == "mf-celeba" else mf_imdb)(data, split=split)
    if settings:
        raise InputError(f"task {name!r} must have no settings; got {settings!r}.")
    known = {**EMBEDDED_TASKS, **DATA_TASKS, **PAPER_TASKS}
    module_name, _, function_name = known[name].partition(":")
    function = getattr(import_module(module_name), function_name)
    task: Task = function() if name in EMBEDDED_TASKS else function(data)
    return task


def _numbers(task: str, text: str, known: set[str]) -> dict[str, Any]:
    """Read ``rows=500,distance=1.5``."""
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        if name not in known:
            raise UnknownNameError(f"setting of task {task!r}", name, sorted(known))
        try:
            found[name] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            raise InputError(f"setting {name!r} must be a number; got {value!r}.") from None
    return found
