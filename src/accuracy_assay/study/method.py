"""A method as people write it: ``estimator[+signals][+referees][/strategy][@calibration]``.

It may also be a preset. Each of the three may have settings after a colon, as tasks do. Examples:
``beta-independent``, ``anova-gp+signals/variance-reduction``, ``anova-gp+referees``,
``beta-gp-slp@temperature``, ``my_package:Mine/random``,
``beta-gp-sl:supervision=gamma,learning_rate=0.001@full:start=zero``, ``aaa-2021``.
"""

from dataclasses import dataclass, replace

from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.registry import (
    PRESETS,
    build_estimator,
    check_calibrator,
    check_estimator,
    check_strategy,
)
from accuracy_assay.tasks.task import Task

__all__ = ["Method", "columns_for", "is_available", "parse_method"]

_SIGNALS, _REFEREES = "+signals", "+referees"


@dataclass(frozen=True, slots=True)
class Method:
    """An estimator, how it explores, how evidence is calibrated and whether signals are used.

    Parameters
    ----------
    name
        As it was written; it labels rows and lines.
    estimator, strategy, calibration
        Names that the registry takes, ``module:Class`` among them, with settings where they were
        written.
    use_signals
        Whether the free signals of the task are handed over.
    batch
        Labels per round where the method itself says so.
    use_referees
        Whether the answers of the task's other services are handed over.
    """

    name: str
    estimator: str
    strategy: str = "random"
    calibration: str = "full"
    use_signals: bool = False
    batch: int | None = None
    use_referees: bool = False


def parse_method(text: str) -> Method:
    """Return the method that ``text`` names.

    Raises
    ------
    InputError
        If the registry does not take a part of it.

    Examples
    --------
    >>> parse_method("beta-independent/largest-variance").strategy
    'largest-variance'
    """
    if text in PRESETS:
        preset = PRESETS[text]
        method = Method(
            text,
            preset["estimator"],
            preset["strategy"],
            preset["calibration"],
            batch=preset.get("batch"),
        )
    else:
        rest, _, calibration = text.partition("@")
        rest, _, strategy = rest.partition("/")
        estimator = rest.removesuffix(_REFEREES)
        method = Method(
            text,
            estimator.removesuffix(_SIGNALS),
            strategy or "random",
            calibration or "full",
            use_signals=estimator.endswith(_SIGNALS),
            use_referees=rest.endswith(_REFEREES),
        )
    _check(method, is_calibration_named="@" in text)
    return method


def columns_for(method: Method, task: Task) -> Columns:
    """Return what the columns of a task mean to a method: with the signals that it uses.

    Raises
    ------
    InputError
        If the method has referees and the task none.
    """
    columns = task.columns
    if not method.use_signals:
        columns = replace(columns, signals=())
    if method.use_referees and not task.referees:
        raise InputError(
            f"task of {method.name!r} must have exact attributes and the answers of other "
            f"services; got {task.name!r}. Leave out {_REFEREES!r}, or take 'am3g' or 'bbq'."
        )
    if method.use_referees:
        columns = replace(columns, y_pred=task.y_pred, referees=task.referees)
    return columns


def is_available(text: str) -> bool:
    """Return whether the registry takes every part of a method and its extra is installed."""
    try:
        build_estimator(parse_method(text).estimator)
    except InputError:
        return False
    return True


def _check(method: Method, *, is_calibration_named: bool) -> None:
    check_estimator(method.estimator)
    check_strategy(method.strategy)
    if is_calibration_named:
        check_calibrator(method.calibration)
