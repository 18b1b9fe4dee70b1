"""The registry: names that users type, and the objects that they stand for.

Wherever a method is named, these are taken:

- a name from the tables below. An entry is ``"module:Class"``; the module is imported when the
  name is used, so that a name costs nothing until then. Adding an implementation to this package
  takes its file and one line here;
- a name that an installed package declares in an entry-point group of `GROUPS`; a name of ours
  comes first;
- ``module:Class`` itself;
- a table of settings, ``{"name": <any of these>, "level": 0.95}``;
- an object that follows the Protocol.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from accuracy_assay.domain.measure import ACCURACY
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.protocols import (
    Calibrator,
    Estimator,
    KeptCalibration,
    Labeler,
    MeasureRule,
    RowReader,
    Service,
    Store,
    Strategy,
)
from accuracy_assay.runtime.extension_point import ExtensionPoint
from accuracy_assay.runtime.imports import import_ours, installed, is_module
from accuracy_assay.runtime.secrets import hide_secrets
from accuracy_assay.runtime.settings import setting_names
from accuracy_assay.runtime.written_choice import read_choice

__all__ = [
    "CALIBRATIONS",
    "ESTIMATORS",
    "GROUPS",
    "LABELERS",
    "MEASURES",
    "PRESETS",
    "RANDOM_SHARE",
    "READERS",
    "SERVICES",
    "STORES",
    "STRATEGIES",
    "CalibratorChoice",
    "EstimatorChoice",
    "LabelerChoice",
    "MeasureChoice",
    "ReaderChoice",
    "StrategyChoice",
    "build_calibrator",
    "build_estimator",
    "build_labeler",
    "build_measure",
    "build_reader",
    "build_service",
    "build_strategy",
    "build_strategy_for",
    "check_calibrator",
    "check_estimator",
    "check_strategy",
    "every_reader",
    "load_calibration",
    "open_store",
    "settings_of",
]

RANDOM_SHARE = 0.1
"""Share of picks that are drawn at random unless somebody says otherwise: labels that no model
chose check what the others say. What they cost is in docs/decisions/0004."""

EstimatorChoice: TypeAlias = str | Mapping[str, Any] | Estimator
"""A name, ``module:Class``, a table of settings with a name, or an estimator."""

StrategyChoice: TypeAlias = str | Mapping[str, Any] | Strategy
"""A name, ``module:Class``, a table of settings with a name, or a strategy."""

CalibratorChoice: TypeAlias = str | Mapping[str, Any] | Calibrator
"""A name, ``module:Class``, a table of settings with a name, or a calibrator."""

LabelerChoice: TypeAlias = str | Mapping[str, Any] | Labeler
"""A name, ``module:Class``, a table of settings with a name, or a labeler."""

MeasureChoice: TypeAlias = str | Mapping[str, Any] | MeasureRule
"""A name such as ``recall:yes``, ``module:Class``, a table of settings with a name, or a rule."""

ReaderChoice: TypeAlias = str | Mapping[str, Any] | RowReader
"""A name, ``module:Class``, a table of settings with a name, or a reader."""

ESTIMATORS: Mapping[str, str] = {
    "anova-gp": "accuracy_assay.estimators.anova.anova_gp:AnovaGP",
    "bern-gp": "accuracy_assay.estimators.paper.bern_gp:BernGP",
    "beta-gp": "accuracy_assay.estimators.paper.beta_gp:BetaGP",
    "beta-gp-ab": "accuracy_assay.estimators.paper.beta_gp_ab:BetaGPab",
    "beta-gp-sl": "accuracy_assay.estimators.paper.beta_gp_sl:BetaGPSL",
    "beta-gp-slp": "accuracy_assay.estimators.paper.beta_gp_slp:BetaGPSLP",
    "aaa-2021": "accuracy_assay.estimators.paper.aaa_2021:AAA2021",
    "aaa-2021-code": "accuracy_assay.estimators.paper.aaa_2021_code:AAA2021Code",
    "constant": "accuracy_assay.estimators.constant:Constant",
    "beta-independent": "accuracy_assay.estimators.beta_independent:BetaIndependent",
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
    "full-2021": "accuracy_assay.calibration.full_2021:Full2021",
}
LABELERS: Mapping[str, str] = {
    "csv": "accuracy_assay.labelers.csv_file:CsvFile",
    "jsonl": "accuracy_assay.labelers.jsonl_file:JsonlFile",
    "label-studio": "accuracy_assay.labelers.label_studio:LabelStudio",
}
MEASURES: Mapping[str, str] = {
    "recall": "accuracy_assay.domain.measure:recall",
    "true-positive-rate": "accuracy_assay.domain.measure:recall",
    "false-negative-rate": "accuracy_assay.domain.measure:false_negative_rate",
    "false-positive-rate": "accuracy_assay.domain.measure:false_positive_rate",
    "true-negative-rate": "accuracy_assay.domain.measure:true_negative_rate",
    "precision": "accuracy_assay.domain.measure:precision",
    "false-discovery-rate": "accuracy_assay.domain.measure:false_discovery_rate",
    "win-rate": "accuracy_assay.domain.pair_measure:WinRate",
    "first-win-rate": "accuracy_assay.domain.pair_measure:FirstWinRate",
}
READERS: Mapping[str, str] = {
    "inspect": "accuracy_assay.readers.inspect:InspectLogs",
    "lm-eval": "accuracy_assay.readers.lm_eval:LmEvalLogs",
    "promptfoo": "accuracy_assay.readers.promptfoo:Promptfoo",
    "langfuse": "accuracy_assay.readers.langfuse:LangfuseExports",
    "helm": "accuracy_assay.readers.helm:HelmRuns",
    "every-eval-ever": "accuracy_assay.readers.every_eval_ever:EveryEvalEver",
    "openai-evals": "accuracy_assay.readers.openai_evals:OpenAIEvals",
    "opentelemetry": "accuracy_assay.readers.opentelemetry:OpenTelemetryEvents",
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
    name: {
        "estimator": name,
        "strategy": "largest-variance",
        "calibration": "full-2021",
        "batch": 12,
    }
    for name in ("aaa-2021", "aaa-2021-code")
}
"""Whole systems, as keyword arguments of ``simulate``: the paper's as its text has it, and as its
authors' code has it."""

GROUPS: Mapping[str, str] = {
    "estimator": "accuracy_assay.estimators",
    "strategy": "accuracy_assay.strategies",
    "calibration": "accuracy_assay.calibrations",
    "service": "accuracy_assay.services",
    "labeler": "accuracy_assay.labelers",
    "measure": "accuracy_assay.measures",
    "reader": "accuracy_assay.readers",
}
"""Entry-point groups by what they hold; tasks have theirs in ``tasks.registry``."""

_ESTIMATOR = ExtensionPoint("estimator", ESTIMATORS, GROUPS["estimator"], Estimator)
_STRATEGY = ExtensionPoint("strategy", STRATEGIES, GROUPS["strategy"], Strategy)
_CALIBRATION = ExtensionPoint("calibration", CALIBRATIONS, GROUPS["calibration"], Calibrator)
_LABELER = ExtensionPoint("labelling tool", LABELERS, GROUPS["labeler"], Labeler)
_MEASURE = ExtensionPoint("measure", MEASURES, GROUPS["measure"], MeasureRule)
_READER = ExtensionPoint("reader", READERS, GROUPS["reader"], RowReader)
_SERVICE = ExtensionPoint("service kind", SERVICES, GROUPS["service"], Service)
_METHODS: Mapping[str, ExtensionPoint] = {
    "estimator": _ESTIMATOR,
    "strategy": _STRATEGY,
    "calibration": _CALIBRATION,
}


def build_estimator(choice: EstimatorChoice, **settings: object) -> Estimator:
    """Return the estimator that ``choice`` stands for, or the object itself if it is one.

    Examples
    --------
    >>> build_estimator({"name": "constant", "level": 0.95}) == build_estimator(
    ...     "accuracy_assay.estimators.constant:Constant", level=0.95
    ... )
    True
    """
    built: Estimator = _ESTIMATOR.build(choice, settings)
    return built


def build_strategy(choice: StrategyChoice, **settings: object) -> Strategy:
    """Return the strategy that ``choice`` stands for, or the object itself if it is one."""
    built: Strategy = _STRATEGY.build(choice, settings)
    return built


def build_strategy_for(
    choice: StrategyChoice,
    *,
    goal: str | None = None,
    mix: Any = None,
    random_share: float | None = None,
) -> Strategy:
    """Return the strategy, told what labels are for and what share of them is drawn at random.

    Parameters
    ----------
    choice
        A name, a table or an object; an object draws as it was made to.
    goal, mix
        Those of a spec's ``[assay]``; None leaves a setting as the strategy has it. The goal
        ``surface``, which is the default, goes with every strategy.
    random_share
        The share; None for what the table says, or else a tenth if the strategy can draw. A random
        strategy draws all labels at random, whatever the share.

    Raises
    ------
    InputError
        If the strategy does not have such a setting.

    Examples
    --------
    >>> build_strategy_for("variance-reduction", goal="worst").goal
    'worst'
    """
    if (goal == "mix") != (mix is not None):
        raise InputError(
            "the goal 'mix' and a mix, a table of weights, must be given together; got goal "
            f"{goal!r} and {'no mix' if mix is None else 'a mix'}."
        )
    choice = read_choice(choice) if isinstance(choice, str | Mapping) else choice
    known: tuple[str, ...] = ()
    if isinstance(choice, str | Mapping):
        known = settings_of("strategy", choice)
    is_said = isinstance(choice, Mapping) and "random_share" in choice
    if random_share is None and "random_share" in known and not is_said:
        random_share = RANDOM_SHARE
    wanted = {"goal": goal, "mix": mix, "random_share": random_share}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    plain = {k: v for k, v in wanted.items() if k in known and k != "mix"}
    built: Any = build_strategy(choice, **plain)
    if "mix" in wanted and "mix" in known:
        built = replace(built, mix=mix)  # a frame is no setting that a file could hold
    for name, value in wanted.items():
        is_so_anyway = (
            built.is_random or not value if name == "random_share" else goal == "surface"
        )
        if name not in known and not is_so_anyway:
            raise InputError(
                f"{name} must go with a strategy by name that has this setting, such as "
                f"variance-reduction; got {value!r} and {_name_of(choice)!r}."
            )
    made: Strategy = built
    return made


def _name_of(choice: StrategyChoice) -> str:
    if isinstance(choice, Mapping):
        return str(choice.get("name"))
    return choice if isinstance(choice, str) else type(choice).__name__


def build_calibrator(choice: CalibratorChoice, **settings: object) -> Calibrator:
    """Return the calibrator that ``choice`` stands for, or the object itself if it is one."""
    built: Calibrator = _CALIBRATION.build(choice, settings)
    return built


def check_estimator(choice: EstimatorChoice) -> None:
    """Raise what `build_estimator` would, without an import where a name of ours is given."""
    _ESTIMATOR.check(choice)


def check_strategy(choice: StrategyChoice) -> None:
    """Raise what `build_strategy` would, without an import where a name of ours is given."""
    _STRATEGY.check(choice)


def check_calibrator(choice: CalibratorChoice) -> None:
    """Raise what `build_calibrator` would, without an import where a name of ours is given."""
    _CALIBRATION.check(choice)


def settings_of(what: str, choice: str | Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the settings of an estimator, a strategy or a calibration.

    Examples
    --------
    >>> settings_of("estimator", "beta-independent")
    ('level',)
    """
    if what not in _METHODS:
        raise UnknownNameError("method", what, _METHODS)
    return _METHODS[what].settings_of(choice)


def load_calibration(path: Path) -> KeptCalibration:
    """Return the calibration that a file holds, as its `save` wrote it."""
    fitted = "accuracy_assay.calibration.fitted:FittedCalibration"
    loaded: KeptCalibration = import_ours("a calibration file", fitted).load(path)
    return loaded


def build_labeler(choice: LabelerChoice | None, path: Path) -> Labeler:
    """Return the labeler that ``choice`` stands for, or the one of a file's ending."""
    endings = {
        ".csv": "csv",
        ".tsv": "csv",
        ".jsonl": "jsonl",
        ".ndjson": "jsonl",
        ".json": "label-studio",
    }
    if choice is None and path == Path("-"):
        choice = "csv"  # unless it is named, what comes from the standard input
    if choice is None:
        if path.suffix.lower() not in endings:
            raise UnknownNameError(
                f"file type of {path.name}",
                path.suffix,
                endings,
                hint="Name the labelling tool, or write module:Class.",
            )
        choice = endings[path.suffix.lower()]
    built: Labeler = _LABELER.build(choice, {})
    return built


def build_measure(choice: MeasureChoice) -> MeasureRule:
    """Return the rule that ``choice`` stands for, or the object itself if it is one.

    What follows a name after a colon is its setting ``of``: the class of a rate. A win-rate may
    also name the columns of the two services: ``win-rate:acme:model_a:model_b``.

    Examples
    --------
    >>> build_measure("recall:yes") == build_measure({"name": "recall", "of": "yes"})
    True
    """
    built: MeasureRule = _MEASURE.build(
        _measure_settings(choice) if isinstance(choice, str) else choice, {}
    )
    return built


def _measure_settings(text: str) -> dict[str, str]:
    """Return the settings of a measure by its name: ``recall:yes``, ``module:Class:yes``."""
    name, _, of = text.partition(":")
    others = installed(GROUPS["measure"])
    if (ours := name.replace("_", "-")) in MEASURES:
        if not of:
            raise InputError(
                f"measure must name a class, such as {ours}:yes; got {text!r}. Which class counts "
                "as found?"
            )
        if ours == "win-rate" and len(sides := of.rsplit(":", 2)) == 3:
            return dict(zip(("name", "of", "first", "second"), (ours, *sides), strict=True))
        return {"name": ours, "of": of}
    if name not in others:
        part, _, of = of.partition(":")
        if not part or not is_module(name):
            known = [ACCURACY, *(f"{known}:CLASS" for known in MEASURES), *others]
            hint = "One of your own is written module:Class."
            raise UnknownNameError("measure", text, known, hint=hint)
        name = f"{name}:{part}"
    return {"name": name, "of": of} if of else {"name": name}


def build_reader(choice: ReaderChoice) -> RowReader:
    """Return the reader that ``choice`` stands for, or the object itself if it is one."""
    built: RowReader = _READER.build(choice, {})
    return built


def every_reader() -> dict[str, RowReader]:
    """Return the readers of this package and of those that are installed, by name."""
    return {name: build_reader(name) for name in {**READERS, **installed(GROUPS["reader"])}}


def build_service(kind: str, settings: Mapping[str, object]) -> Service:
    """Return the service of a kind.

    A kind of ours takes those of ``settings`` that it has. Any other (an entry point or
    ``module:Class``) must take all of them, but for ``name``, which it may leave out.
    """
    made_by = _SERVICE.find(kind)
    known = setting_names(made_by)
    is_ours = kind in SERVICES
    used = {k: v for k, v in settings.items() if k in known or not (is_ours or k == "name")}
    built: Service = _SERVICE.build(kind, used)
    return built


def open_store(address: str | Path, *, is_new: bool = False, is_saving: bool = False) -> Store:
    """Return the store at a path (a SQLite file) or a URL such as ``postgresql://...``.

    ``is_new`` allows a file to be made; otherwise it must exist. ``is_saving`` opens one whose
    tables are damaged, so that `read` finds what is whole.
    """
    scheme, is_url, _ = str(address).partition("://")
    database = scheme if is_url else "sqlite"
    if _is_mistyped(str(address)):
        raise InputError(
            "store must be the path of a file, or a URL such as postgresql://user@host/database; "
            "got a text between the two (it is not shown, since it may hold a password)."
        )
    if database not in STORES or (is_url and database == "sqlite"):
        raise UnknownNameError(
            "store", f"{scheme}://", ["path/of/a/file", "postgresql://user@host/database"]
        )
    opened_by = import_ours("a store in PostgreSQL", STORES[database])
    store: Store = opened_by(str(address), is_new=is_new, is_saving=is_saving)
    return store


def _is_mistyped(address: str) -> bool:
    """Return whether an address is neither a URL nor a path: no file should be named by it."""
    scheme, is_url, _ = address.partition("://")
    if is_url:
        return re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme) is None
    is_meant_as_url = re.match(r"(postgres|sqlite)[a-z+]*[:;]", address, re.IGNORECASE)
    return is_meant_as_url is not None or hide_secrets(address) != address
