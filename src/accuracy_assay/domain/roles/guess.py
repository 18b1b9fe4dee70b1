"""The one guesser: which column of a table plays which part.

Names are asked first (`domain.column_names`), and values have to fit the part. The rest is
measured on the rows: what gives the score away is no attribute, near-copies are offered once,
numbers are cut.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from accuracy_assay.domain.agreement import equal_columns, is_missing
from accuracy_assay.domain.column_names import NameHint, Part, holds_truth, name_hint
from accuracy_assay.domain.column_roles import MOST_VALUES, most_values
from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.domain.roles.attributes import pick_attributes
from accuracy_assay.domain.roles.held import is_free, is_share, is_time, mean_words, media_kind
from accuracy_assay.domain.roles.measured import find_truth
from accuracy_assay.domain.roles.value import UNNAMED, ColumnRoles
from accuracy_assay.domain.text.proposed import is_text

__all__ = ["guess_roles", "score_of"]

_MOST_ROWS = 20_000
"""Rows by which columns are measured, spread over the table; more only take more time."""


def guess_roles(rows: pl.DataFrame, known: EvalLog | None = None) -> ColumnRoles:
    """Return what the columns of a table seem to be.

    Parameters
    ----------
    rows
        The table.
    known
        What the files said about it, where they are those of another tool.

    Examples
    --------
    >>> rows = pl.DataFrame(
    ...     {
    ...         "id": range(40),
    ...         "light": ["day", "night"] * 20,
    ...         "a_pred": ["cat", "dog"] * 20,
    ...         "a_correct": [1, 0, 0, 1] * 10,
    ...         "label": ["cat", "cat"] * 20,
    ...     }
    ... )
    >>> found = guess_roles(rows)
    >>> [a.name for a in found.attributes], found.truth, found.services["a"].scores
    (['light'], 'label', {'correct': 'a_correct'})
    """
    draft = _Draft(rows, list(rows.columns))
    draft.hints = {name: hint for name in rows.columns if (hint := name_hint(name)) is not None}
    _leave_nested(draft)
    if known is None:
        _take_services(draft)
    else:
        _take_known(draft, known)
    _take_single_parts(draft)
    _take_answers(draft)
    _take_shown(draft)
    return _finish(draft)


def score_of(
    rows: pl.DataFrame, roles: ColumnRoles, service: str, metric: str | None = None
) -> pl.Series:
    """Return the score of each row, null without a label.

    The first score is taken unless a metric is named. Without a score, predictions are compared
    with the truth, and a missing one is wrong, unless a log's service was not asked.
    """
    asked = roles.columns(service, ["any"], metric)
    if asked.score is not None:
        return rows.get_column(asked.score).cast(pl.Float64).fill_nan(None).alias(service)
    truth, said = rows.get_column(str(asked.y_true)), rows.get_column(str(asked.y_pred))
    same = equal_columns(truth, said).fill_null(value=False).cast(pl.Float64)
    is_known = ~is_missing(truth)
    if roles.is_log:
        is_known &= rows.select(roles.services[service].asked).to_series()
    return pl.select(pl.when(is_known).then(same).alias(service)).to_series()


@dataclass
class _Draft:
    """Columns that have no part yet, and the parts found so far."""

    rows: pl.DataFrame
    left: list[str]
    hints: dict[str, NameHint] = field(default_factory=dict)
    roles: ColumnRoles = field(default_factory=ColumnRoles)
    truths: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def of_part(self, *parts: Part) -> list[str]:
        """Return columns without a part whose names tell one of these."""
        return [n for n in self.left if (hint := self.hints.get(n)) and hint.part in parts]

    def take(self, *names: str) -> None:
        """Mark columns as placed."""
        self.left = [name for name in self.left if name not in names]

    def leave(self, name: str, reason: str) -> None:
        """Mark a column as left out."""
        self.left_out[name] = reason
        self.take(name)

    def set(self, **parts: object) -> None:
        """Fix parts."""
        self.roles = replace(self.roles, **parts)  # type: ignore[arg-type]

    def column(self, name: str) -> pl.Series:
        """Return the values of a column."""
        return self.rows.get_column(name)


def _leave_nested(draft: _Draft) -> None:
    for name in list(draft.left):
        column = draft.column(name)
        if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
            draft.leave(name, "nested values")
        elif column.null_count() == column.len():
            draft.leave(name, "no value")


def _take_known(draft: _Draft, known: EvalLog) -> None:
    """Take over what a log says about itself."""
    draft.set(services=known.by_service, truth=known.target, id=known.id, cluster=known.cluster)
    draft.set(is_log=True)
    draft.set(judges=tuple(j for said in known.by_service.values() for j in said.judges))
    draft.take(*(name for said in known.by_service.values() for name in said.names))
    draft.take(*(name for name in (known.target, known.id, known.cluster) if name is not None))
    draft.left_out |= dict(known.left_out)
    draft.set(texts=known.texts)
    draft.take(*known.texts)
    for name in list(draft.left):
        if holds_truth(name):
            draft.leave(name, "seems to hold the truth or an answer")


def _take_services(draft: _Draft) -> None:
    """Take the columns of services: evidence, predictions, scores, truth, opinions."""
    evidence = [n for n in draft.of_part("evidence") if is_share(draft.column(n))]
    draft.take(*evidence)
    draft.set(
        evidence={name: f"p_{name}__*" for name in (draft.hints[n].service for n in evidence)}
    )
    judges = tuple(draft.of_part("judge"))
    draft.take(*judges)
    draft.set(judges=judges)
    _take_truth(draft)
    said = _take_predictions(draft)
    scores = _take_scores(draft, said)
    sure = _take_confidences(draft)
    draft.set(services=_joined(draft, said, scores, sure))
    _find_unnamed_truth(draft)


def _take_truth(draft: _Draft) -> None:
    """Take the first column that is called the truth; others are left out."""
    named = draft.of_part("truth")
    named += [n for n in draft.of_part("score") if n.lower() == "correct" and _is_word(draft, n)]
    has_predictions = bool(draft.of_part("prediction"))
    for name in draft.of_part("answer"):
        if named and not has_predictions:
            draft.hints[name] = NameHint("prediction")
        else:
            named.append(name)
    if not named:
        return
    draft.truths = named
    draft.set(truth=named[0])
    draft.take(named[0])
    for name in (*named[1:], *draft.of_part("from truth")):
        draft.leave(name, f"about the truth, which is {named[0]!r}: known only with the label")


def _is_word(draft: _Draft, name: str) -> bool:
    return not is_share(draft.column(name))


def _take_predictions(draft: _Draft) -> dict[str, str]:
    said: dict[str, str] = {}
    for name in draft.of_part("prediction"):
        service = draft.hints[name].service or UNNAMED
        if service in said:
            draft.leave(name, f"another prediction of {service!r}, which is {said[service]!r}")
            continue
        said[service] = name
        draft.take(name)
    return said


def _take_scores(draft: _Draft, said: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the score columns of each service by metric; ``X_score`` of a compared X is none."""
    human = [n for n in draft.of_part("human") if is_share(draft.column(n))]
    numbers = [n for n in draft.of_part("measure") if draft.column(n).dtype.is_numeric()]
    measures = [n for n in numbers if human or is_share(draft.column(n))]
    named = [n for n in draft.of_part("score") if is_share(draft.column(n))]
    compared = set(said) if draft.roles.truth is not None else set()
    scores: dict[str, dict[str, str]] = {}
    for name in (*human, *named, *([] if human else measures)):
        hint = draft.hints[name]
        if hint.metric == "score" and hint.service and hint.service in compared:
            draft.hints[name] = NameHint("confidence", hint.service)
            continue
        metric = hint.metric or name
        scores.setdefault(hint.service or UNNAMED, {}).setdefault(metric, name)
        draft.take(name)
    if human:
        draft.take(*measures)
        draft.set(judges=(*draft.roles.judges, *measures))
    return scores


def _take_confidences(draft: _Draft) -> dict[str, str]:
    sure: dict[str, str] = {}
    for name in draft.of_part("confidence"):
        if draft.column(name).dtype.is_numeric():
            sure.setdefault(draft.hints[name].service or UNNAMED, name)
            draft.take(name)
    return sure


def _joined(
    draft: _Draft,
    said: dict[str, str],
    scores: dict[str, dict[str, str]],
    sure: dict[str, str],
) -> dict[str, ServiceColumns]:
    """Return the columns by service; what names no service belongs to the only one."""
    named = [s for s in dict.fromkeys([*said, *scores]) if s != UNNAMED]
    if len(named) == 1:
        said, scores, sure = (_renamed(parts, named[0]) for parts in (said, scores, sure))
    if named and UNNAMED in scores and UNNAMED not in said:
        for column in scores.pop(UNNAMED).values():
            draft.left_out[column] = "a score, but the name does not say whose"
    services = dict.fromkeys([*said, *scores])
    for service in [s for s in sure if s not in services]:
        draft.left_out[sure[service]] = "a confidence, but no column has the predictions"
    return {
        s: ServiceColumns(said.get(s), scores.get(s, {}), signals=(sure[s],) if s in sure else ())
        for s in services
    }


def _renamed(parts: dict[str, Any], service: str) -> dict[str, Any]:
    """Return columns by service, those without a name under the only one."""
    if UNNAMED not in parts or service in parts:
        return parts
    return {service if name == UNNAMED else name: column for name, column in parts.items()}


def _find_unnamed_truth(draft: _Draft) -> None:
    """Find the column that gives a service's scores when compared with its predictions."""
    if draft.roles.truth is not None:
        return
    for said in draft.roles.services.values():
        if said.prediction is None or not said.scores:
            continue
        score = next(iter(said.scores.values()))
        truth = find_truth(draft.rows, said.prediction, score, draft.left)
        if truth is not None:
            draft.set(truth=truth)
            draft.take(truth)
        return


def _take_single_parts(draft: _Draft) -> None:
    """Take annotator, weight, times, the id and what says which rows belong together."""
    for part in ("annotator", "weight"):
        for name in draft.of_part(part)[:1]:
            if part == "annotator" or draft.column(name).dtype.is_numeric():
                draft.set(**{part: name})
                draft.take(name)
    times = [name for name in draft.left if is_time(draft.column(name))]
    draft.take(*times)
    draft.set(times=tuple(times))
    if draft.roles.id is None:
        draft.set(id=_id_column(draft))
        draft.take(*([] if draft.roles.id is None else [draft.roles.id]))
    for name in draft.of_part("id", "item"):
        n_values = draft.column(name).n_unique()
        if n_values <= MOST_VALUES:
            continue
        if draft.roles.cluster is None and 2 * n_values <= draft.rows.height:
            draft.set(cluster=name)
            draft.take(name)
        else:
            draft.leave(name, f"{n_values:,} values in {draft.rows.height:,} rows: an identifier")


def _take_answers(draft: _Draft) -> None:
    """See whether rows are answers of people to items: what they answered differs within some.

    Who is known, items come several times, and a service said one thing of each.
    """
    roles = draft.roles
    said = list(roles.predictions.values())
    is_scored = any(service.scores for service in roles.services.values())
    if roles.annotator is None or roles.cluster is None or not said or is_scored or roles.is_log:
        return
    columns = [*draft.truths, *said, *draft.left]
    of_item = draft.rows.group_by(roles.cluster).agg(
        pl.col(name).drop_nulls().n_unique() for name in columns
    )
    differs = {name: bool((of_item.get_column(name) > 1).any()) for name in columns}
    answers = [name for name in draft.truths if differs[name]]
    if len(answers) != 1 or any(differs[name] for name in said):
        return
    gold = next((name for name in draft.truths if name not in answers), None)
    draft.set(id=roles.cluster, cluster=None, truth=answers[0], gold=gold, are_answers=True)
    draft.left_out = {n: why for n, why in draft.left_out.items() if n not in (*answers, gold)}
    for name in [name for name in draft.left if differs[name]]:
        draft.leave(name, "differs between the answers to an item")


def _id_column(draft: _Draft) -> str | None:
    """Return the column called id, or the first whose values all differ."""
    named = draft.of_part("id", "item")
    plain = [n for n in draft.left if n not in named and n not in draft.hints]
    for name in (*named, *plain):
        column = draft.column(name)
        is_plain = column.dtype == pl.String or column.dtype.is_integer()
        if not is_plain or column.null_count() or column.n_unique() < column.len():
            continue
        if name in named or not (is_text(column) or media_kind(column)):
            return name
    return None


def _take_shown(draft: _Draft) -> None:
    """Take files and texts; names that are neither are left out."""
    media: dict[str, str] = {}
    words: dict[str, float] = {}
    for name in list(draft.left):
        column = draft.column(name)
        if column.dtype != pl.String:
            continue
        if kind := media_kind(column):
            media.setdefault(kind, name)
            draft.take(name)
        elif is_text(column) and is_free(column):
            words[name] = mean_words(column)
            draft.take(name)
    others = sorted(words, key=lambda name: -words[name])
    draft.set(media=media, texts=(*draft.roles.texts, *others))


def _finish(draft: _Draft) -> ColumnRoles:
    """Pick the attributes among what is left, and say why the rest is left out."""
    rows = draft.rows.gather_every(max(1, draft.rows.height // _MOST_ROWS))
    scores = {service: score_of(rows, draft.roles, service) for service in draft.roles.scored}
    truth = draft.roles.truth
    picked, gaps, reasons = pick_attributes(
        rows.select(draft.left),
        scores,
        None if truth is None else rows.get_column(truth),
        most_values(draft.rows.height),
        set(draft.roles.evidence),
    )
    left_out = {**draft.left_out, **reasons}
    columns = draft.rows.columns
    of_log = [name for name in left_out if name not in columns]  # first: they matter most
    return replace(
        draft.roles,
        attributes=tuple(picked),
        gaps=gaps,
        left_out={n: left_out[n] for n in (*of_log, *columns) if n in left_out},
    )
