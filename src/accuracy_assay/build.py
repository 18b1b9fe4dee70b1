"""The registry: names that users type, and the objects that they stand for.

An entry is ``"module:Class"``; the module is imported when the name is used, so that a name costs
nothing until then. Adding an implementation takes its file and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from accuracy_assay.errors import UnknownNameError
from accuracy_assay.protocols import Calibrator, Estimator, Strategy

__all__ = [
    "CALIBRATIONS",
    "ESTIMATORS",
    "PRESETS",
    "STRATEGIES",
    "build_calibrator",
    "build_estimator",
    "build_strategy",
]

ESTIMATORS: Mapping[str, str] = {
    "constant": "accuracy_assay.estimators.constant:Constant",
    "beta-independent": "accuracy_assay.estimators.beta_independent:BetaIndependent",
}
STRATEGIES: Mapping[str, str] = {
    "random": "accuracy_assay.exploration.uniform:Random",
    "largest-variance": "accuracy_assay.exploration.largest_variance:LargestVariance",
}
CALIBRATIONS: Mapping[str, str] = {}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "aaa-2021": {
        "estimator": "beta-gp-slp",
        "strategy": "largest-variance",
        "calibration": "full",
        "batch": 12,
    },
}


def build_estimator(name: str | Estimator, **settings: object) -> Estimator:
    """Return the estimator called ``name``, or the object itself if it is one already."""
    built: Estimator = _build("estimator", name, ESTIMATORS, settings)
    return built


def build_strategy(name: str | Strategy, **settings: object) -> Strategy:
    """Return the strategy called ``name``, or the object itself if it is one already."""
    built: Strategy = _build("strategy", name, STRATEGIES, settings)
    return built


def build_calibrator(name: str | Calibrator, **settings: object) -> Calibrator:
    """Return the calibrator called ``name``, or the object itself if it is one already."""
    built: Calibrator = _build("calibration", name, CALIBRATIONS, settings)
    return built


def _build(what: str, name: object, registry: Mapping[str, str], settings: dict[str, Any]) -> Any:
    if not isinstance(name, str):
        return name
    if name not in registry:
        raise UnknownNameError(what, name, registry)
    module_name, _, class_name = registry[name].partition(":")
    return getattr(import_module(module_name), class_name)(**settings)
