"""``look``: what some rows are, how accurate each service is, and where one of them fails.

Nothing is asked of the caller: columns are guessed (`domain.roles`), a few attributes are chosen
(`study.look.choose`), and the surface over them is `estimate`'s own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import is_missing
from accuracy_assay.domain.column_roles import MOST_VALUES
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.domain.missing_answers import MissingAnswers, unanswered
from accuracy_assay.domain.roles.guess import guess_roles, score_of
from accuracy_assay.domain.roles.value import ColumnRoles
from accuracy_assay.domain.slices import WeakSlice
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.parquet_paths import is_folder
from accuracy_assay.files.tables import TABLE_ENDINGS, Rows, read_table
from accuracy_assay.study.estimate import estimate
from accuracy_assay.study.look.choose import (
    Choice,
    choices_of,
    choose_attributes,
    is_nameable,
)
from accuracy_assay.study.look.commands import (
    command,
    compare_command,
    compare_log_command,
    pattern_of,
    surface_options,
)
from accuracy_assay.study.look.unknown import has_parquet, unknown
from accuracy_assay.study.look.words import look_text
from accuracy_assay.study.read.annotations import settle_services
from accuracy_assay.study.read.open_rows import find_log, readers_of, rows_of_log

__all__ = ["Look", "ServiceScore", "look"]

_SLICES = 3
"""Weak slices of a look."""
_MOST_ROWS = 20_000
"""Labelled rows by which attributes are chosen; more only take more time."""
_MOST_CLUSTERS = 100
"""Most clusters of a look that lie in several arms each: more take longer than a look may."""
_LEAST_LABELS = 20
"""Fewest labels for slices to be looked for, as for unused columns to be judged."""


@dataclass(frozen=True, slots=True)
class ServiceScore:
    """How a service does on the labelled rows.

    Parameters
    ----------
    service
        Its name.
    labels
        Rows with a score.
    mean
        The mean of their scores.
    missing
        Labelled rows without an answer, which count as wrong.
    is_graded
        Whether some scores lie between 0 and 1.
    """

    service: str
    labels: int
    mean: float
    missing: int = 0
    is_graded: bool = False


@dataclass(frozen=True, eq=False)
class Look:
    """What a first look found.

    Parameters
    ----------
    name, kind
        What was looked at: its path, and what kind of thing it is.
    rows
        The rows, as they were read; one per item where they are answers of people.
    roles
        What the columns are taken for.
    scores
        Each service that can be scored, the best first.
    service, metric
        Whose surface it is, and by which score; None without labels.
    attributes
        The attributes of the surface, as they are typed.
    surface
        The surface; None if there is no label or no attribute.
    is_clustered
        Whether intervals take into account which rows belong together.
    trust
        How far the labels are verified, where they are answers of people.
    commands
        Commands that do more, by what they do; empty for rows that have no path.
    """

    name: str
    kind: str
    rows: pl.DataFrame
    roles: ColumnRoles
    scores: tuple[ServiceScore, ...] = ()
    service: str | None = None
    metric: str | None = None
    attributes: tuple[str, ...] = ()
    surface: AccuracySurface | None = None
    is_clustered: bool = False
    trust: LabelTrust | None = None
    commands: dict[str, str] = field(default_factory=dict)

    @property
    def slices(self) -> tuple[WeakSlice, ...]:
        """Up to three slices that are clearly weaker than the whole, most wrong rows first."""
        return () if self.surface is None else self.surface.slices().found[:_SLICES]

    @property
    def has_few_labels(self) -> bool:
        """Whether labels are too few to look for slices."""
        return max((each.labels for each in self.scores), default=0) < _LEAST_LABELS

    def __str__(self) -> str:
        return look_text(self)


def look(
    source: Rows, service: str | None = None, metric: str | None = None, *, seed: int = 0
) -> Look:
    """Say what some rows are, and where a service fails, without being told anything about them.

    Parameters
    ----------
    source
        A table or evaluation log as in ``estimate``: a frame, a path, a folder, a pattern or a
        list of paths.
    service
        Whose slices to show; by default those of the most accurate service.
    metric
        Which of its scores; by default the first.
    seed
        Seed of all randomness.

    Returns
    -------
    Look

    Raises
    ------
    InputError
        If the rows cannot be read, or the service or metric is unknown.

    Examples
    --------
    >>> rows = pl.DataFrame(
    ...     {"light": ["day", "night"] * 60, "a_correct": [1, 0, 1, 1] * 30, "id": range(120)}
    ... )
    >>> seen = look(rows)
    >>> seen.service, seen.attributes, round(seen.surface.overall.mean, 2)
    ('a', ('light',), 0.75)
    """
    log = find_log(source)
    if log is None and (folder := _path(source)) is not None and not has_parquet(folder):
        raise InputError(unknown(folder))
    rows = read_table(source) if log is None else log.rows
    roles = guess_roles(rows, log)
    items, trust = _items(rows, roles)
    scores = _service_scores(items, roles, metric)
    found = Look(_name(source), _kind(source), items, roles, scores, trust=trust)
    names = [each.service for each in scores]
    if service is not None and service not in names:
        raise UnknownNameError("service with labels", service, names)
    if not scores:
        return replace(found, commands=_for_unlabelled(_path(source)))
    answers = rows if roles.are_answers else None
    return _fitted(found, log, answers, _path(source), service or names[0], metric, seed)


def _items(rows: pl.DataFrame, roles: ColumnRoles) -> tuple[pl.DataFrame, LabelTrust | None]:
    """Return one row per item, with its label for the truth, where rows are answers of people."""
    if not roles.are_answers:
        return rows, None
    asked = roles.columns(next(iter(roles.predictions)), ["any"])
    settled, _ = settle_services(asked, rows, None, roles.predictions.values())
    label = pl.col(str(settled.columns.y_true)).alias(str(roles.truth))
    return read_table(settled.rows).with_columns(label), settled.trust


def _service_scores(
    rows: pl.DataFrame, roles: ColumnRoles, metric: str | None
) -> tuple[ServiceScore, ...]:
    """Return the mean score of every service that has a labelled row, the best first."""
    found = []
    for service in roles.scored:
        said = roles.services[service]
        score = score_of(rows, roles, service, metric if metric in said.scores else None)
        known = score.drop_nulls().to_numpy()
        if not known.size:
            continue
        n_missing = 0
        if not said.scores and said.prediction is not None:
            answers, truth = rows.get_column(said.prediction), rows.get_column(str(roles.truth))
            n_missing = int((unanswered(answers, truth) & score.is_not_null()).sum())
        is_graded = bool(((known > 0.0) & (known < 1.0)).any())
        mean = float(known.mean())
        found.append(ServiceScore(service, known.size, mean, n_missing, is_graded))
    return tuple(sorted(found, key=lambda each: -each.mean))


def _fitted(
    found: Look,
    log: EvalLog | None,
    answers: pl.DataFrame | None,
    path: str | None,
    service: str,
    metric: str | None,
    seed: int,
) -> Look:
    """Return a look with the surface of one service; ``answers`` are those of people, if any."""
    rows, roles = found.rows, found.roles
    score = score_of(rows, roles, service, metric)
    scores = roles.services[service].scores
    named = replace(found, service=service, metric=metric or next(iter(scores), None))
    chosen = _chosen(rows, roles, score)
    n_labels = score.drop_nulls().len()
    n_asked = rows.height if log is None else log.rows_of(service).height
    if n_labels < n_asked and (not chosen or n_labels < _LEAST_LABELS):
        return replace(named, commands=_for_unlabelled(path))
    if not chosen:
        return named
    typed = tuple(choice.as_typed for choice in chosen)
    asked = roles.columns(service, [choice.attribute for choice in chosen], metric)
    if n_labels < _LEAST_LABELS:
        return replace(named, commands=_whole_surface(path, asked, typed))
    if log is not None:
        rows, columns = rows_of_log(log, asked)
    else:
        columns = asked
    if not _may_cluster(found.rows, asked.cluster, score, chosen):
        asked, columns = replace(asked, cluster=None), replace(columns, cluster=None)
    if answers is not None:
        rows = answers
    elif columns.score is None:
        scored = _free_name("score", rows.columns)
        rows = rows.with_columns(score_of(rows, roles, service).alias(scored))
        columns = replace(columns, score=scored, y_true=None, y_pred=None)
    own = next(each for each in found.scores if each.service == service)
    missing = MissingAnswers("wrong", own.missing, own.labels)
    surface = estimate(rows, columns, seed=seed)
    return replace(
        named,
        attributes=typed,
        surface=surface.with_details(**missing.details),
        is_clustered=columns.cluster is not None,
        commands={} if path is None else _commands(named, log, path, asked, typed),
    )


def _may_cluster(
    rows: pl.DataFrame, cluster: str | None, score: pl.Series, chosen: Sequence[Choice]
) -> bool:
    """Return whether a look has the time for clusters: they are few, or each lies in one arm."""
    if cluster is None:
        return False
    column = rows.get_column(cluster)
    if column.null_count() or column.n_unique() <= _MOST_CLUSTERS:
        return not column.null_count()
    known = column.gather(_labelled(score))
    codes = pl.DataFrame({str(k): choice.code for k, choice in enumerate(chosen)})
    return codes.with_columns(known.alias("cluster")).n_unique() == known.n_unique()


def _labelled(score: pl.Series) -> pl.Series:
    """Return the numbers of the labelled rows, or of many of them spread over the table."""
    known = score.is_not_null().arg_true()
    return known.gather_every(max(1, known.len() // _MOST_ROWS))


def _chosen(rows: pl.DataFrame, roles: ColumnRoles, score: pl.Series) -> list[Choice]:
    """Return the attributes to look at; without any, the truth itself is one if it has few values.

    They are chosen by the labelled rows, or many of them spread over the table.
    """
    known = _labelled(score)
    labelled, right = rows[known], score.gather(known).to_numpy()
    chosen = choose_attributes(choices_of(labelled, roles), right)
    if chosen or roles.truth is None or roles.are_answers or score.null_count():
        return chosen
    truth = rows.get_column(roles.truth)
    is_plain = not truth.dtype.is_float() and not is_missing(truth).any()
    if not (is_plain and is_nameable(roles.truth) and 2 <= truth.n_unique() <= MOST_VALUES):
        return []
    return [Choice(roles.truth, roles.truth, np.zeros(right.size, np.int64))]


def _commands(
    found: Look,
    log: EvalLog | None,
    path: str,
    columns: Columns,
    typed: tuple[str, ...],
) -> dict[str, str]:
    """Return commands that go on from here."""
    made = _whole_surface(path, columns, typed)
    made["Which attributes matter, and which other columns might"] = command(
        "assay", "attributes", path, *surface_options(columns, typed)
    )
    if found.roles.times and log is None and columns.annotator is None:
        made["Whether it got worse over time"] = command(
            "assay",
            "watch",
            path,
            "--time",
            found.roles.times[0],
            *surface_options(columns, typed),
        )
    if found.roles.judges and log is None and columns.annotator is None:
        judge = ("--judge", found.roles.judges[0], "--certificate", "certificate.json")
        made["Where a judge may decide in place of people"] = command(
            "assay", "judges", path, *surface_options(columns, typed), *judge
        )
    rivals = _rivals(found)
    if len(rivals) > 1 and log is None:
        made["The best services compared"] = compare_command(path, found.roles, rivals, typed)
    elif len(rivals) > 1:
        asked = (path, found.roles, rivals, typed, found.metric)
        made["The best services compared"] = compare_log_command(*asked)
    return made


def _whole_surface(path: str | None, columns: Columns, typed: Sequence[str]) -> dict[str, str]:
    """Return the command that shows all of a surface, if the rows have a path."""
    if path is None:
        return {}
    whole = command("assay", "surface", path, *surface_options(columns, typed))
    return {"The whole surface": whole}


def _rivals(found: Look) -> list[str]:
    """Return services that can be compared with the chosen one: scored alike, on the same rows."""
    roles, service = found.roles, str(found.service)
    own = score_of(found.rows, roles, service, found.metric).is_not_null()
    rivals = []
    for each in found.scores:
        scores = roles.services[each.service].scores
        if (found.metric in scores) if found.metric else not scores:
            score = score_of(found.rows, roles, each.service, found.metric)
            if int((score.is_not_null() & own).sum()) >= _LEAST_LABELS:
                rivals.append(each.service)
    return rivals


def _for_unlabelled(path: str | None) -> dict[str, str]:
    """Return the command that starts an assay of rows without labels or attributes."""
    return (
        {}
        if path is None
        else {"A first spec, to have rows labelled": command("assay", "init", "--from", path)}
    )


def _name(source: Rows) -> str:
    paths = _paths(source)
    if not paths:
        return "the rows"
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _kind(source: Rows) -> str:
    """Return what kind of thing was looked at, in words."""
    paths = _paths(source)
    if not paths:
        return "a frame"
    if readers := readers_of(source):
        return f"a log of {readers[0]}"
    if is_folder(paths[0]):
        return "a folder of Parquet"
    endings = [ending[1:] for ending in TABLE_ENDINGS if paths[0].lower().endswith(ending)]
    return f"a table ({endings[-1]})" if endings else "a table"


def _path(source: Rows) -> str | None:
    """Return the one path or pattern that a command can name."""
    paths = _paths(source)
    return pattern_of(paths) if paths and paths != ["-"] else None


def _paths(source: Rows) -> list[str]:
    if isinstance(source, str | Path):
        return [str(source)]
    if isinstance(source, list | tuple):
        return [str(path) for path in source]
    return []


def _free_name(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name
