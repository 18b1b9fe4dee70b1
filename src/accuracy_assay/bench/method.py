"""A method as people write it: ``estimator[+signals][/strategy][@calibration]``, or a preset.

Each of the three may carry settings after a colon, as tasks do. Examples: ``beta-independent``,
``anova-gp+signals/variance-reduction``, ``beta-gp-slp@temperature``, ``my_package:Mine/random``,
``beta-gp-sl:supervision=gamma,learning_rate=0.001@full:start=zero``, ``aaa-2021``.
"""

from dataclasses import dataclass

from accuracy_assay.bench.choice import as_choice
from accuracy_assay.errors import InputError
from accuracy_assay.registry import (
    PRESETS,
    build_estimator,
    check_calibrator,
    check_estimator,
    check_strategy,
)

__all__ = ["Method", "is_available", "parse_method"]

_SIGNALS = "+signals"


@dataclass(frozen=True, slots=True)
class Method:
    """An estimator, how it explores, how evidence is calibrated and whether signals are used.

    Parameters
    ----------
    name
        As it was written; it labels rows and lines.
    estimator, strategy, calibration
        Names that the registry takes, ``module:Class`` among them, with settings where they were
        written; ``bench.choice`` reads them.
    use_signals
        Whether the free signals of the task are handed over.
    batch
        Labels per round where the method itself says so.
    """

    name: str
    estimator: str
    strategy: str = "random"
    calibration: str = "full"
    use_signals: bool = False
    batch: int | None = None


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
        method = Method(
            text,
            rest.removesuffix(_SIGNALS),
            strategy or "random",
            calibration or "full",
            use_signals=rest.endswith(_SIGNALS),
        )
    _check(method, is_calibration_named="@" in text)
    return method


def is_available(text: str) -> bool:
    """Return whether the registry takes every part of a method and its extra is installed."""
    try:
        build_estimator(as_choice(parse_method(text).estimator))
    except InputError:
        return False
    return True


def _check(method: Method, *, is_calibration_named: bool) -> None:
    check_estimator(as_choice(method.estimator))
    check_strategy(as_choice(method.strategy))
    if is_calibration_named:
        check_calibrator(as_choice(method.calibration))
