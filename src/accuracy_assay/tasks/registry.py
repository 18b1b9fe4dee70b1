"""The tasks by name: those that ship, and those whose data lie in the user's folder.

A name may carry settings (``synthetic:rows=50000,values=3``, ``mf-celeba:n_pool=5000``) and the
ending ``-exact``, which hands over the gold attributes of a task whose attributes are otherwise
guessed. A path that ends in ``.toml`` is a user's own task, and so is a function that returns a
`Task`: as ``module:function``, or by the name under which an installed package declares it in the
entry-point group ``accuracy_assay.tasks``. Its numeric arguments are its settings; it is handed
the data folder if it has an argument ``data``.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.imports import import_address, import_named, import_ours, installed
from accuracy_assay.runtime.settings import check_settings, setting_names
from accuracy_assay.tasks.task import Task
from accuracy_assay.tasks.task_file import read_task

__all__ = ["DATA_TASKS", "EMBEDDED_TASKS", "GROUP", "PAPER_TASKS", "load_task", "task_names"]

GROUP = "accuracy_assay.tasks"
"""The entry-point group in which other packages declare theirs."""

EMBEDDED_TASKS: Mapping[str, str] = {
    "digits": "accuracy_assay.tasks.digits:digits",
    "faces": "assay_bench.tasks.faces:faces",
    "simple": "assay_bench.tasks.simple:simple",
    "synthetic": "accuracy_assay.tasks.synthetic:synthetic",
}
DATA_TASKS: Mapping[str, str] = {
    "adult5": "assay_bench.tasks.adult:adult5",
    "adult6": "assay_bench.tasks.adult:adult6",
    "am2g": "assay_bench.tasks.audiomnist:am2g",
    "am2d": "assay_bench.tasks.audiomnist:am2d",
    "am3g": "assay_bench.tasks.audiomnist:am3g",
    "am3d": "assay_bench.tasks.audiomnist:am3d",
    "am1n": "assay_bench.tasks.audiomnist:am1n",
    "am1n-deepspeech": "assay_bench.tasks.audiomnist:am1n_deepspeech",
    "whisper-text": "assay_bench.tasks.whisper:whisper_text",
    "bbq": "assay_bench.tasks.bbq:bbq",
    "mmlu_pair": "assay_bench.tasks.mmlu:mmlu_pair",
    "frank": "assay_bench.tasks.frank:frank",
}
PAPER_TASKS: Mapping[str, str] = {
    "mf-celeba": "assay_bench.tasks.celeba:mf_celeba",
    "mf-imdb": "assay_bench.tasks.celeba:mf_imdb",
    "ac-cocos": "assay_bench.tasks.cocostuff:ac_cocos",
    "ac-cocos10k": "assay_bench.tasks.cocostuff:ac_cocos10k",
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
        A task's name, for instance ``digits``, ``digits-exact`` or ``synthetic:rows=5000``, the
        path of a task file (see ``task_file``), or ``module:function``.
    data
        Folder with the tables of the tasks that do not ship.

    Raises
    ------
    InputError
        If the name, a setting or the data folder is wrong.
    """
    if name.endswith(".toml"):
        return replace(read_task(Path(name)), name=name)
    plain, settings = _split(name)
    plain, is_exact = plain.removesuffix(_EXACT), plain.endswith(_EXACT)
    made = _load(plain, settings, data) if plain in task_names() else _call(plain, settings, data)
    task = replace(made, name=name)
    return replace(task, evidence={}, from_label=()) if is_exact else task


def _split(name: str) -> tuple[str, str]:
    """Return a name or ``module:function``, and the settings that follow it after a colon."""
    first, _, rest = name.partition(":")
    second, _, further = rest.partition(":")
    is_name = first.removesuffix(_EXACT) in task_names()
    if is_name or not second or "=" in second:
        return first, rest
    return f"{first}:{second}", further


def _call(name: str, settings: str, data: Path | None) -> Task:
    """Return the task of a function that is not ours."""
    function = _find(name)
    known = setting_names(function)
    given = _numbers(name, settings, set(known) - {"data"})
    if "data" in known:
        given["data"] = data
    made = function(**check_settings(f"task {name!r}", function, given))
    if not isinstance(made, Task):
        raise InputError(f"task {name!r} must return a Task; got {type(made).__name__}.")
    return made


def _find(name: str) -> Callable[..., object]:
    if ":" in name:
        found = import_address("task", name)
    elif name in installed(GROUP):
        found = import_named("task", name, GROUP)
    else:
        known = [*task_names(), *installed(GROUP)]
        raise UnknownNameError(
            "task", name, known, hint="One of your own is written module:function, or a .toml."
        )
    if not callable(found):
        raise InputError(f"task {name!r} must be a function; got {found!r}.")
    function: Callable[..., object] = found
    return function


def _load(name: str, settings: str, data: Path | None) -> Task:
    if name == "synthetic":
        from accuracy_assay.tasks.synthetic import Shape, synthetic

        return synthetic(Shape(**_numbers(name, settings, {f.name for f in fields(Shape)})))
    if name == "faces":
        from assay_bench.tasks.faces import faces

        return faces(**_numbers(name, settings, set(setting_names(faces))))
    if name in ("mf-celeba", "mf-imdb"):
        from assay_bench.tasks.celeba import mf_celeba, mf_imdb
        from assay_bench.tasks.celeba_files import Split

        split = Split(**_numbers(name, settings, {f.name for f in fields(Split)}))
        return (mf_celeba if name == "mf-celeba" else mf_imdb)(data, split=split)
    if settings:
        raise InputError(f"task {name!r} must have no settings; got {settings!r}.")
    known = {**EMBEDDED_TASKS, **DATA_TASKS, **PAPER_TASKS}
    function = import_ours(f"task {name!r}", known[name])
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
