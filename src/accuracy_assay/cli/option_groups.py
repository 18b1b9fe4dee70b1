"""Groups of options that several commands share, each declared once.

A command about a table or an assay takes these groups as parameters; ``spread`` turns each field
of a group into an option of the command.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from accuracy_assay.cli.options import (
    AGREEMENT,
    ATTRIBUTE,
    CALIBRATION,
    ESTIMATOR,
    MISSING_PREDICTION,
    AnswerForm,
    Cluster,
    EvidencePatterns,
    FromLabel,
    Histories,
    Judges,
    PickedBy,
    Referees,
    Seed,
    Settings,
    Signals,
    TargetName,
)
from accuracy_assay.cli.session import AssayName, SeedSetPath, find_working_folder, open_assay

if TYPE_CHECKING:
    from accuracy_assay.domain.columns import Columns
    from accuracy_assay.session.assay import Assay

__all__ = [
    "AssayOptions",
    "FitOptions",
    "GuessOptions",
    "RowOptions",
    "SignalOptions",
    "columns_of",
    "given_options",
    "refuse_for_assay",
    "refuse_for_file",
    "refuse_for_table",
    "spread",
]


@dataclass(frozen=True)
class RowOptions:
    """What the columns of labelled rows mean, and where the pool is."""

    attribute: Annotated[list[str] | None, ATTRIBUTE] = None
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the score, in [0, 1], empty without a label; repeat for services."
        ),
    ] = None
    y_true: Annotated[str | None, typer.Option(help="Column of the truth.")] = None
    y_pred: Annotated[str | None, typer.Option(help="Column of the prediction.")] = None
    agreement: Annotated[str | None, AGREEMENT] = None
    missing_prediction: Annotated[str | None, MISSING_PREDICTION] = None
    id: Annotated[
        str | None, typer.Option(help="Column that identifies a row, or the item of an answer.")
    ] = None
    annotator: Annotated[
        str | None,
        typer.Option(
            help="If each row is one person's answer (in --y-true) to the item of --id: the "
            "column of who gave it."
        ),
    ] = None
    gold: Annotated[
        str | None,
        typer.Option(help="With --annotator: column of the item's true answer, empty if unknown."),
    ] = None
    pool: Annotated[
        str | None,
        typer.Option(
            help="Table of all rows, including the labelled ones; or an assay's pool, if moved."
        ),
    ] = None

    @property
    def pool_path(self) -> Path | None:
        """Where the pool of an assay is now."""
        return None if self.pool is None else Path(self.pool)

    def one_score(self) -> str | None:
        """Return the score column of the one service asked about."""
        from accuracy_assay.errors import InputError

        if self.score and len(self.score) > 1:
            raise InputError(f"--score must be given once here; got {', '.join(self.score)}.")
        return self.score[0] if self.score else None


@dataclass(frozen=True)
class SignalOptions:
    """What is known about every row without a label, and which rows belong together."""

    signal: Signals = None
    referee: Referees = None
    judge: Judges = None
    history: Histories = None
    answer_form: AnswerForm = False
    cluster: Cluster = None


@dataclass(frozen=True)
class GuessOptions:
    """Attributes that are not known for every row."""

    evidence: EvidencePatterns = None
    from_label: FromLabel = None
    picked: PickedBy = None
    calibration: Annotated[str | None, CALIBRATION] = None


@dataclass(frozen=True)
class FitOptions:
    """What fits a surface to a table."""

    estimator: Annotated[str | None, ESTIMATOR] = None
    settings: Settings = None
    target: TargetName = None
    seed: Seed = 0

    def methods(self, **others: str) -> dict[str, Any]:
        """Return the methods by kind, each with its settings, and the target, if one is given."""
        from accuracy_assay.cli.parse import with_settings

        methods = {"estimator": self.estimator or "anova-gp", **others}
        found = with_settings(methods, self.settings)
        return found if self.target is None else {**found, "target": self.target}


@dataclass(frozen=True)
class AssayOptions:
    """Which assay of a store, and where its seed set is."""

    name: AssayName = None
    seed_set: SeedSetPath = None

    def open(self, store: str, pool: Path | None) -> Assay:
        """Open the assay, for a ``with`` block."""
        return open_assay(store, self.name, pool, self.seed_set)


_OPTION_NAMES = {"settings": "--set"}
_FOR_BOTH = {"pool", "seed"}
"""Options for both a table and an assay."""


def columns_of(
    rows: RowOptions,
    signals: SignalOptions | None = None,
    guesses: GuessOptions | None = None,
    *,
    what: str,
    score: str | None = None,
    attributes: Sequence[str] | None = None,
) -> Columns:
    """Return what the options say about the columns of a table.

    Errors say ``what`` is asked for. ``score`` is the score column, since several may be given,
    and ``attributes`` are those of a log, where no option names any.
    """
    from accuracy_assay.cli.parse import parse_attributes, split_pairs
    from accuracy_assay.domain.columns import Columns
    from accuracy_assay.errors import InputError

    if not (rows.attribute or attributes):
        raise InputError(f"{what} must have --attribute; got none.")
    find_working_folder()
    free, unsure = signals or SignalOptions(), guesses or GuessOptions()
    return Columns.of(
        attributes or parse_attributes(rows.attribute or []),
        score=score,
        y_true=rows.y_true,
        y_pred=rows.y_pred,
        agreement=rows.agreement or "equal",
        missing_prediction=rows.missing_prediction or "wrong",
        signals=free.signal,
        referees=free.referee,
        judges=free.judge,
        history=free.history,
        answer_form=free.answer_form,
        cluster=free.cluster,
        evidence=dict(split_pairs(unsure.evidence or [], "evidence", "attribute=pattern")),
        from_label=unsure.from_label,
        picked=unsure.picked,
        id=rows.id,
        annotator=rows.annotator,
        gold=rows.gold,
    )


def refuse_for_assay(what: str, *groups: object, **others: object) -> None:
    """Raise an error that names options meant for a table.

    Parameters
    ----------
    what
        What must follow the spec, such as "the surface of an assay".
    groups, others
        Groups of options, and single options by name.
    """
    from accuracy_assay.errors import InputError

    if given := given_options(*groups, **others):
        raise InputError(
            f"{what} must follow its spec; got options for a table of rows. Leave out "
            f"{', '.join(given)}."
        )


def refuse_for_table(what: str, session: AssayOptions, **others: object) -> None:
    """Raise an error that names options which are for an assay."""
    from accuracy_assay.errors import InputError

    if given := given_options(session, **others):
        raise InputError(
            f"{what} of a table must have options for a table alone; got some for an assay. "
            f"Leave out {', '.join(given)}."
        )


def refuse_for_file(path: str, *groups: object, **others: object) -> None:
    """Raise an error that names options which are for a table or an assay."""
    from accuracy_assay.errors import InputError

    # Of a file that is not there, reading it says so.
    if Path(path).exists() and (given := given_options(*groups, **others)):
        raise InputError(
            f"a saved file must be taken as it is; got {path!r} with options for a table or an "
            f"assay. Leave out {', '.join(given)}."
        )


def given_options(*groups: Any, **others: object) -> list[str]:
    """Return the given options, except those for both a table and an assay."""
    values = {f.name: getattr(group, f.name) for group in groups for f in fields(group)}
    return [
        _OPTION_NAMES.get(name, f"--{name.replace('_', '-')}")
        for name, value in values.items()
        if value and name not in _FOR_BOTH
    ] + [f"--{name.replace('_', '-')}" for name, value in others.items() if value]


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of its groups after its own."""
    signature = inspect.signature(command, eval_str=True)
    groups = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if parameter.annotation in _PANELS
    }
    if not groups:
        return command
    parameters = [p for name, p in signature.parameters.items() if name not in groups]
    parameters += [option for group in groups.values() for option in _options(group)]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


_PANELS = {
    RowOptions: "A table: its columns",
    SignalOptions: "A table: free signals",
    GuessOptions: "A table: guessed attributes",
    FitOptions: "A table: the fit",
    AssayOptions: "An assay",
}
"""Groups of options, and the panel of each in the help."""


def _options(group: type) -> list[inspect.Parameter]:
    """Return a group's fields as parameters of a command."""
    hints: Mapping[str, Any] = get_type_hints(group, include_extras=True)
    found = []
    for f in fields(group):
        hint = hints[f.name]
        shown = copy(hint.__metadata__[0])
        shown.rich_help_panel = _PANELS[group]
        annotation: Any = Annotated[hint.__origin__, shown]
        keyword = inspect.Parameter.KEYWORD_ONLY
        found.append(inspect.Parameter(f.name, keyword, default=f.default, annotation=annotation))
    return found
