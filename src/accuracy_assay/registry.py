"""The registry: names that users type, and the objects that they stand for.

An entry is ``"module:Class"``; the module is imported when the name is used, so that a name costs
nothing until then. Adding an implementation takes its file and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from accuracy_assay.errors import InputError, MissingExtraError, UnknownNameError
from accuracy_assay.protocols import (
    Calibrator,
    Estimator,
    KeptCalibration,
    Labeler,
    Service,
    Store,
    Strategy,
)

__all__ = [
    "CALIBRATIONS",
    "ESTIMATORS",
    "LABELERS",
    "PRESETS",
    "SERVICES",
    "STORES",
    "STRATEGIES",
    "build_calibrator",
    "build_estimator",
    "build_labeler",
    "build_service",
    "build_strategy",
    "load_calibration",
    "open_store",
]

ESTIMATORS: Mapping[str, str] = {
    "anova-gp": "accuracy_assay.estimators.anova.anova_gp:AnovaGP",
    "bern-gp": "accuracy_assay.estimators.paper.bern_gp:BernGP",
    "beta-gp": "accuracy_assay.estimators.paper.beta_gp:BetaGP",
    "beta-gp-ab": "accuracy_assay.estimators.paper.beta_gp_ab:BetaGPab",
    "beta-gp-sl": "accuracy_assay.estimators.paper.beta_gp_sl:BetaGPSL",
    "beta-gp-slp": "accuracy_assay.estimators.paper.beta_gp_slp:BetaGPSLP",
    "constant": "accuracy_assay.estimators.constant:Constant",
    "beta-independent": "accuracy_assay.estimators.beta_independent:BetaIndependent",
    "structured-regression": (
        "accuracy_assay.estimators.peers.structured_regression:StructuredRegression"
    ),
    "shrinkage": "accuracy_assay.estimators.peers.shrinkage:Shrinkage",
    "eb-regression": "accuracy_assay.estimators.peers.eb_regression:EBRegression",
    "metric-frame": "accuracy_assay.estimators.peers.metric_frame:MetricFrameByGroup",
}
STRATEGIES: Mapping[str, str] = {
    "random": "accuracy_assay.exploration.uniform:Random",
    "largest-variance": "accuracy_assay.exploration.largest_variance:LargestVariance",
    "variance-reduction": "accuracy_assay.exploration.variance_reduction:VarianceReduction",
}
CALIBRATIONS: Mapping[str, str] = {
    "raw": "accuracy_assay.calibration.raw:Raw",
    "temperature": "accuracy_assay.calibration.temperature:Temperature",
    "full": "accuracy_assay.calibration.full:Full",
}
LABELERS: Mapping[str, str] = {
    "csv": "accuracy_assay.labelers.csv_file:CsvFile",
    "jsonl": "accuracy_assay.labelers.jsonl_file:JsonlFile",
    "label-studio": "accuracy_assay.labelers.label_studio:LabelStudio",
}
SERVICES: Mapping[str, str] = {
    "column": "accuracy_assay.services.column:ColumnService",
    "callable": "accuracy_assay.services.function:FunctionService",
    "url": "accuracy_assay.services.http:HttpService",
}
STORES: Mapping[str, str] = {
    "sqlite": "accuracy_assay.storage.sqlite:open_sqlite",
    "postgresql": "accuracy_assay.storage.postgres:open_postgres",
    "postgres": "accuracy_assay.storage.postgres:open_postgres",
}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "aaa-2021": {
        "estimator": "beta-gp-slp",
        "strategy": "largest-variance",
        "calibration": "full",
        "batch": 12,
    },
}


_EXTRA_OF: Mapping[str, str] = {
    "fairlearn": "peers",
    "psycopg": "postgres",
    "ray": "ray",
    "starlette": "web",
    "torch": "vision",
    "torchvision": "vision",
    "uvicorn": "web",
}


def build_estimator(name: str | Estimator, **settings: object) -> Estimator:
    """Return the estimator called ``name``, or the object itself if it is one already."""
    built: Estimator = _build("estimator", name, ESTIMATORS, Estimator, settings)
    return built


def build_strategy(name: str | Strategy, **settings: object) -> Strategy:
    """Return the strategy called ``name``, or the object itself if it is one already."""
    built: Strategy = _build("strategy", name, STRATEGIES, Strategy, settings)
    return built


def build_calibrator(name: str | Calibrator, **settings: object) -> Calibrator:
    """Return the calibrator called ``name``, or the object itself if it is one already."""
    built: Calibrator = _build("calibration", name, CALIBRATIONS, Calibrator, settings)
    return built


def load_calibration(path: Path) -> KeptCalibration:
    """Return the calibration that a file holds, as its `save` wrote it."""
    kind = _load("a calibration file", "accuracy_assay.calibration.fitted:FittedCalibration")
    loaded: KeptCalibration = kind.load(path)
    return loaded


def build_labeler(name: str | None, path: Path) -> Labeler:
    """Return the labeler called ``name``, or the one that a file's ending stands for."""
    endings = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "label-studio"}
    if name is None:
        if path.suffix.lower() not in endings:
            raise UnknownNameError(f"file type of {path.name}", path.suffix, endings)
        name = endings[path.suffix.lower()]
    if name not in LABELERS:
        raise UnknownNameError("labelling tool", name, LABELERS)
    built: Labeler = _load(f"labelling tool {name!r}", LABELERS[name])()
    return built


def build_service(kind: str, settings: Mapping[str, object]) -> Service:
    """Return the service of a kind, with those of ``settings`` that it has."""
    made_by = _load(f"service by {kind}", SERVICES[kind])
    known = {field.name for field in fields(made_by)}
    built: Service = made_by(**{key: value for key, value in settings.items() if key in known})
    return built


def open_store(address: str | Path, *, is_new: bool = False) -> Store:
    """Return the store at a path (a SQLite file) or a URL such as ``postgresql://...``.

    ``is_new`` allows a file to be made; otherwise it must exist.
    """
    scheme, is_url, _ = str(address).partition("://")
    kind = scheme if is_url else "sqlite"
    if kind not in STORES or (is_url and kind == "sqlite"):
        raise UnknownNameError(
            "store", f"{scheme}://", ["path/of/a/file", "postgresql://user@host/database"]
        )
    store: Store = _load("a store in PostgreSQL", STORES[kind])(str(address), is_new=is_new)
    return store


def _build(
    what: str,
    name: object,
    registry: Mapping[str, str],
    protocol: type,
    settings: dict[str, Any],
) -> Any:
    if not isinstance(name, str):
        if isinstance(name, type) or not isinstance(name, protocol):
            raise InputError(
                f"{what} must be a name such as {next(iter(registry), '')!r} or an object that "
                f"follows the protocol {protocol.__name__}; got {name!r}."
            )
        return name
    if name not in registry:
        raise UnknownNameError(what, name, registry)
    made_by = _load(f"{what} {name!r}", registry[name])
    known = [field.name for field in fields(made_by)] if is_dataclass(made_by) else list(settings)
    for setting in settings:
        if setting not in known:
            raise UnknownNameError(f"setting of {what} {name!r}", setting, known)
    return made_by(**settings)


def _load(feature: str, address: str) -> Any:
    """Import ``module:Class``; an extra that is not installed is named in the error."""
    module_name, _, class_name = address.partition(":")
    try:
        return getattr(import_module(module_name), class_name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA_OF:
            raise
        raise MissingExtraError(feature, _EXTRA_OF[package]) from None
