"""Tasks by name: functions that return a `Task`, wherever they stand.

A task is a function. It is named in the table below, by an installed package in the entry-point
group ``accuracy_assay.tasks``, or as ``module:function``. Its numeric arguments are settings that
follow the name (``synthetic:rows=50000,values=3``); it gets the data folder if it has an argument
``data``. The ending ``-exact`` hands over the gold attributes of a task whose attributes are
otherwise guessed, ``-known`` all but those that the label reveals. A path that ends in ``.toml``
is a user's own task (`task_file`).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.imports import import_address, import_named, import_ours, installed
from accuracy_assay.runtime.settings import check_settings
from accuracy_assay.tasks.task import Task
from accuracy_assay.tasks.task_file import read_task

__all__ = ["GROUP", "TASKS", "load_task"]

GROUP = "accuracy_assay.tasks"
"""The entry-point group in which packages declare theirs."""

TASKS: Mapping[str, str] = {
    "digits": "accuracy_assay.tasks.digits:digits",
    "synthetic": "accuracy_assay.tasks.synthetic:synthetic",
}
_KNOWN: Mapping[str, Mapping[str, Any]] = {
    "-exact": {"evidence": {}, "from_label": ()},
    "-known": {"evidence": {}},
}
"""Endings of a name, and what the task then is: all attributes known for every row, or all but
those that the label reveals."""


def load_task(name: str, data: Path | None = None) -> Task:
    """Return the task called ``name``.

    Parameters
    ----------
    name
        A task's name, for instance ``digits``, ``digits-exact`` or ``synthetic:rows=5000``, the
        path of a task file, or ``module:function``.
    data
        Folder with the tables of tasks that do not ship.

    Raises
    ------
    InputError
        If the name, a setting or the data folder is wrong.

    Examples
    --------
    >>> load_task("synthetic:rows=100,attributes=2,values=3").attributes
    ('a1', 'a2')
    """
    if name.endswith(".toml"):
        return replace(read_task(Path(name)), name=name)
    address, settings = _split(name)
    plain, known = _ending(address)
    return replace(_call(plain, settings, data), name=name, **known)


def _ending(address: str) -> tuple[str, Mapping[str, Any]]:
    """Return a name without its ending, and what the ending says."""
    for ending, known in _KNOWN.items():
        if address.endswith(ending):
            return address.removesuffix(ending), known
    return address, {}


def _split(name: str) -> tuple[str, str]:
    """Return a name or ``module:function``, and the settings that follow it after a colon."""
    first, _, rest = name.partition(":")
    second, _, further = rest.partition(":")
    plain, _ = _ending(first)
    if not second or "=" in second or plain in TASKS or plain in installed(GROUP):
        return first, rest
    return f"{first}:{second}", further


def _call(name: str, settings: str, data: Path | None) -> Task:
    function = _find(name)
    parameters = signature(function).parameters
    numbers = [p.name for p in parameters.values() if p.name != "data" and _takes_a_number(p)]
    given = _read_settings(name, settings, numbers)
    if "data" in parameters:
        given["data"] = data
    made = function(**check_settings(f"task {name!r}", function, given))
    if not isinstance(made, Task):
        raise InputError(f"task {name!r} must return a Task; got {type(made).__name__}.")
    return made


def _find(name: str) -> Callable[..., object]:
    if name in TASKS:
        found = import_ours(f"task {name!r}", TASKS[name])
    elif ":" in name:
        found = import_address("task", name)
    elif name in installed(GROUP):
        found = import_named("task", name, GROUP)
    else:
        raise UnknownNameError(
            "task",
            name,
            [*TASKS, *installed(GROUP)],
            hint="One of your own is written module:function, or a .toml.",
        )
    if not callable(found):
        raise InputError(f"task {name!r} must be a function; got {found!r}.")
    function: Callable[..., object] = found
    return function


def _takes_a_number(parameter: Parameter) -> bool:
    """Return whether an argument may be a setting: its default, where it has one, is a number."""
    if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
        return False
    return parameter.default is Parameter.empty or isinstance(parameter.default, int | float)


def _read_settings(task: str, text: str, known: list[str]) -> dict[str, object]:
    """Read ``rows=500,distance=1.5``."""
    if text and not known:
        raise InputError(f"task {task!r} must have no settings; got {text!r}.")
    found: dict[str, object] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        if name not in known:
            raise UnknownNameError(f"setting of task {task!r}", name, known)
        try:
            found[name] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            raise InputError(f"setting {name!r} must be a number; got {value!r}.") from None
    return found
