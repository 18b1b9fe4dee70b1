"""Every estimator of the registry as a case of the laws, and what it cannot keep to and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import ESTIMATORS, build_estimator
from accuracy_assay.testing import EstimatorLaws

__all__ = ["PAPER_FAMILY", "laws_of_all"]

_QUICK = {"first_steps": 150, "round_steps": 10, "n_inducing": 12}
"""Settings that keep a fit short, for estimators that have them."""
_QUICK_PRESET = {"first_steps": 500, "learning_rate": 0.02}
"""So few steps of the paper's rate, through two hidden layers, would lead nowhere."""

_PRESETS = ("aaa-2021", "aaa-2021-code")
PAPER_FAMILY = ("bern-gp", "beta-gp", "beta-gp-ab", "beta-gp-sl", *_PRESETS, "beta-gp-slp")

_EXCEPTIONS: dict[str, dict[str, str]] = {name: {} for name in ESTIMATORS}
_EXCEPTIONS["constant"]["test_arms_that_differ_are_told_apart"] = "it has one number for all arms"
for _name in PAPER_FAMILY:
    _EXCEPTIONS[_name]["test_relabelling_the_values_permutes_the_surface"] = (
        "its embedding starts from random weights, one for each value"
    )
for _name in PAPER_FAMILY[1:]:
    _EXCEPTIONS[_name]["test_more_labels_on_an_arm_narrow_it"] = (
        "the spread of its Beta is a function over arms, not a posterior of one"
    )


def laws_of_all(names: Iterable[str]) -> dict[str, type[EstimatorLaws]]:
    """Return a class of tests for each estimator, by the name of the class."""
    return {f"Test_{name}": _laws_of(name) for name in names}


def _laws_of(name: str) -> type[EstimatorLaws]:
    body = {"name": name, "exceptions": _EXCEPTIONS[name], "make": lambda self: _make(name)}
    return type(f"Test_{name}", (EstimatorLaws,), body)


def _make(name: str) -> Estimator:
    known = {field.name for field in fields(type(build_estimator(name)))}  # type: ignore[arg-type]
    quick = _QUICK | _QUICK_PRESET if name in _PRESETS else _QUICK
    return build_estimator(name, **{k: v for k, v in quick.items() if k in known})
