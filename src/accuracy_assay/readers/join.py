"""Answers of several services become one table: one row per item and epoch.

Every reader yields `Answer` values, in any order, and leaves the rest to `join_answers`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.errors import InputError
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.facts import LONGEST_TEXT, flatten, plain_column

__all__ = ["join_answers"]

_ID, _ITEM, _TARGET = "id", "item", "target"
_MOST_FACTS = 300
"""Most columns of facts: more of them are data, not descriptions of items."""
_MOST_CELLS = 50_000_000
"""Most cells of all services together, 400 MB of numbers."""
_NAMED = 3
"""Items that a reason names; the others are counted."""
_ROUNDING = 1e-9
"""A score may be this far outside [0, 1]: an average of ones in floating point."""

Place = tuple[str, int | None]
"""An item and its epoch: a row."""


def join_answers(
    answers: Iterable[Answer], *, left_out: Mapping[str, str] | None = None
) -> EvalLog:
    """Return the log of some answers.

    Answers of several services to one item are one row. An answer that occurs twice counts once.
    Different answers of one service to one item and epoch are numbered: ``exact_match`` and
    ``exact_match.2``. If runs of a service (`Answer.run`) contradict each other, each run is a
    service. Items in several epochs are several rows, with the column ``item`` as the cluster.

    Parameters
    ----------
    answers
        All answers of the files, in an order that does not depend on that of the files.
    left_out
        What the reader itself left out, each with the reason.

    Raises
    ------
    InputError
        If there is no answer, or there are too many services to hold.

    Examples
    --------
    >>> said = Answer("small", "q1", "4", {"exact": 1.0}, target="4", facts={"topic": "sums"})
    >>> log = join_answers([said, replace(said, service="large"), said])
    >>> log.rows.columns
    ['id', 'topic', 'target', 'pred:small', 'score:small:exact', 'pred:large', 'score:large:exact']
    """
    table = _Table(dict(left_out or {}))
    for answer in _with_annotators(_with_runs(list(answers))):
        table.add(answer)
    return table.log()


def _with_runs(answers: list[Answer]) -> list[Answer]:
    """Give every run of a service a name of its own if two of them contradict each other."""
    runs: dict[str, set[str | None]] = defaultdict(set)
    for answer in answers:
        runs[answer.service].add(answer.run)
    repeated = {service for service, names in runs.items() if len(names) > 1}
    said: dict[tuple[str, str, int | None], Answer] = {}
    torn: set[str] = set()
    for answer in answers:
        if answer.service not in repeated or answer.service in torn:
            continue
        first = said.setdefault((answer.service, answer.item, answer.epoch), answer)
        if first.run != answer.run and _contradict(first, answer):
            torn.add(answer.service)
    return [
        replace(a, service=f"{a.service} ({a.run or 'no run'})") if a.service in torn else a
        for a in answers
    ]


def _contradict(one: Answer, other: Answer) -> bool:
    """Return whether two answers cannot be one: another text, or another score."""
    if one.said != other.said:
        return True
    shared = one.scores.keys() & other.scores.keys()
    return one.annotator == other.annotator and any(
        not _same(one.scores[metric], other.scores[metric]) for metric in shared
    )


def _with_annotators(answers: list[Answer]) -> list[Answer]:
    """Name whose verdict each score is, if there are several people."""
    people = {answer.annotator for answer in answers if answer.annotator is not None}
    if len(people) < 2:
        return answers
    return [
        a
        if a.annotator is None
        else replace(a, scores={f"{name} by {a.annotator}": x for name, x in a.scores.items()})
        for a in answers
    ]


@dataclass(slots=True)
class _Service:
    """What is known of one service, by row."""

    said: dict[int, str] = field(default_factory=dict)
    scores: dict[str, dict[int, float]] = field(default_factory=dict)
    judges: dict[str, dict[int, Any]] = field(default_factory=dict)
    seen: dict[int, list[Answer]] = field(default_factory=dict)
    has_answers: bool = False


@dataclass(slots=True)
class _Table:
    """The rows and columns so far; the only thing here that changes."""

    left_out: dict[str, str]
    places: dict[Place, int] = field(default_factory=dict)
    services: dict[str, _Service] = field(default_factory=dict)
    targets: dict[int, str] = field(default_factory=dict)
    texts: dict[str, dict[int, str]] = field(default_factory=dict)
    facts: dict[str, dict[int, Any]] = field(default_factory=dict)
    raw_facts: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    changing: dict[str, int] = field(default_factory=dict)
    other_targets: dict[int, None] = field(default_factory=dict)
    other_answers: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    cut_texts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    not_numbers: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, answer: Answer) -> None:
        """Take one answer in."""
        row = self.places.setdefault((answer.item, answer.epoch), len(self.places))
        self._add_item(row, answer)
        service = self.services.setdefault(answer.service, _Service())
        seen = service.seen.setdefault(row, [])
        if any(_is_repeat(answer, other) for other in seen):
            return
        seen.append(answer)
        self._add_said(row, service, answer)
        for metric, value in answer.scores.items():
            self._add_score(row, service, metric, value)
        for judge, verdict in answer.judges.items():
            if verdict is not None:
                service.judges.setdefault(judge, {}).setdefault(row, _verdict(verdict))

    def _add_item(self, row: int, answer: Answer) -> None:
        target = answer.target
        if target is not None and self.targets.setdefault(row, target) != target:
            self.other_targets[row] = None
        for name, text in answer.texts.items():
            if text is not None:
                cells = self.texts.setdefault(name, {})
                if row not in cells:
                    cells[row] = self._cut(name, text)
        before = self.raw_facts.get(row)
        if before is None:
            self.raw_facts[row] = answer.facts
        elif before == answer.facts:
            return
        for name, value in flatten(answer.facts, self.left_out).items():
            if name not in self.facts and len(self.facts) >= _MOST_FACTS:
                self.left_out.setdefault("further facts", f"more than {_MOST_FACTS} columns")
                continue
            if self.facts.setdefault(name, {}).setdefault(row, value) != value:
                self.changing[name] = self.changing.get(name, 0) + 1

    def _add_said(self, row: int, service: _Service, answer: Answer) -> None:
        if answer.said is None:
            return
        service.has_answers = True
        text = self._cut(f"answers of {answer.service}", answer.said)
        if service.said.setdefault(row, text) != text:
            self.other_answers[answer.service] += 1

    def _add_score(self, row: int, service: _Service, metric: str, value: Any) -> None:
        """Put a score into the first free column of its metric."""
        if value is None:
            service.scores.setdefault(metric, {})
            return
        number = _number(value)
        if number is None:
            self.not_numbers[metric] += 1
            return
        name, number_of_repeat = metric, 1
        while row in service.scores.setdefault(name, {}):
            number_of_repeat += 1
            name = f"{metric}.{number_of_repeat}"
        service.scores[name][row] = number

    def _cut(self, name: str, text: str) -> str:
        if len(text) <= LONGEST_TEXT:
            return text
        self.cut_texts[name] += 1
        return text[:LONGEST_TEXT]

    def log(self) -> EvalLog:
        """Return the table as a log."""
        if not self.places:
            raise InputError("a log must hold at least one answer; got none.")
        self._explain()
        n_rows, taken = len(self.places), {_ID, _ITEM, _TARGET}
        columns = self._item_columns()
        by_service = {}
        n_columns = sum(1 + len(s.scores) + len(s.judges) for s in self.services.values())
        if n_columns * n_rows > _MOST_CELLS:
            raise InputError(
                f"a log must have at most {_MOST_CELLS:,} cells; got {n_columns:,} columns of "
                f"{len(self.services):,} services for {n_rows:,} rows. Read fewer files at once."
            )
        of_services: list[pl.Series] = []
        outside = self._outside()
        for name, service in self.services.items():
            said, made = _columns_of(name, service, n_rows, outside, taken)
            by_service[name] = said
            of_services += made
        texts = [
            plain_column(_free(name, "text", taken), _spread(cells, n_rows))
            for name, cells in self.texts.items()
        ]
        facts = [
            plain_column(_free(name, "fact", taken), _spread(cells, n_rows))
            for name, cells in self.facts.items()
            if name not in self.changing
        ]
        rows = pl.DataFrame([*columns[:-1], *texts, *facts, columns[-1], *of_services])
        target = _TARGET if self.targets else None
        cluster = _ITEM if _ITEM in rows.columns else None
        if target is None:
            rows = rows.drop(_TARGET)
        return EvalLog(
            rows,
            by_service,
            target=target,
            id=_ID,
            cluster=cluster,
            texts=tuple(column.name for column in texts),
            left_out=self.left_out,
        )

    def _item_columns(self) -> list[pl.Series]:
        """Return the columns of ids, of items where they repeat, and of targets."""
        items = [item for item, _ in self.places]
        is_repeated = len(set(items)) < len(items)
        ids, used = [], set[str]()
        for item, epoch in self.places:
            name = item if epoch is None or not is_repeated else f"{item}#{epoch}"
            ids.append(_free(name, "item", used))
        columns = [pl.Series(_ID, ids, dtype=pl.String)]
        if is_repeated:
            columns.append(pl.Series(_ITEM, items, dtype=pl.String))
        targets = {row: x for row, x in self.targets.items() if row not in self.other_targets}
        return [*columns, pl.Series(_TARGET, _spread(targets, len(ids)), dtype=pl.String)]

    def _outside(self) -> dict[str, tuple[float, float]]:
        """Return the metrics with a value outside [0, 1], and their ranges, over all services."""
        ranges: dict[str, tuple[float, float]] = {}
        for service in self.services.values():
            for metric, cells in service.scores.items():
                if cells:
                    values = cells.values()
                    low, high = ranges.get(metric, (math.inf, -math.inf))
                    ranges[metric] = (min(low, *values), max(high, *values))
        outside = {
            metric: (low, high)
            for metric, (low, high) in ranges.items()
            if low < -_ROUNDING or high > 1.0 + _ROUNDING
        }
        for metric, (low, high) in outside.items():
            self.left_out[f"score {metric}"] = (
                f"values from {low:g} to {high:g}; a score lies in [0, 1]"
            )
        return outside

    def _explain(self) -> None:
        """Say what the rows do not show."""
        items = [item for item, _ in self.places]
        if self.other_targets:
            shown = ", ".join(items[row] for row in list(self.other_targets)[:_NAMED])
            self.left_out[_TARGET] = (
                f"the files disagree about it for {len(self.other_targets)} items, such as {shown}"
            )
        for service, count in self.other_answers.items():
            self.left_out[f"further answers of {service}"] = f"{count} beside the first of an item"
        for name, count in self.changing.items():
            self.left_out[name] = f"differs between the answers to one item, {count} times"
        for name, count in self.cut_texts.items():
            self.left_out[f"end of {name}"] = f"{count} texts over {LONGEST_TEXT:,} characters"
        for name, count in self.not_numbers.items():
            self.left_out[f"score {name}"] = f"{count} values that are not finite numbers"


def _columns_of(
    name: str,
    service: _Service,
    n_rows: int,
    outside: Mapping[str, object],
    taken: set[str],
) -> tuple[ServiceColumns, list[pl.Series]]:
    """Return the columns of a service, and what they mean."""
    made: list[pl.Series] = []
    prediction = None
    if service.has_answers:
        prediction = _free(f"pred:{name}", "answer", taken)
        made.append(pl.Series(prediction, _spread(service.said, n_rows), dtype=pl.String))
    scores = {}
    for metric, cells in service.scores.items():
        if metric in outside or not cells:
            continue
        scores[metric] = _free(f"score:{name}:{metric}", "score", taken)
        column = pl.Series(scores[metric], _spread(cells, n_rows), dtype=pl.Float64)
        made.append(column.clip(0.0, 1.0))
    judges = []
    for judge, cells in service.judges.items():
        judges.append(_free(f"judge:{name}:{judge}", "judge", taken))
        made.append(plain_column(judges[-1], _spread(cells, n_rows)))
    return ServiceColumns(prediction, scores, tuple(judges)), made


def _spread(cells: Mapping[int, Any], n_rows: int) -> list[Any]:
    """Return a column as a list, None where there is no value."""
    return [cells.get(row) for row in range(n_rows)]


def _free(name: str, kind: str, taken: set[str]) -> str:
    """Return a name that no other column has, and take it."""
    found, number = name, 1
    while found in taken:
        found = f"{kind}.{name}" if number == 1 else f"{kind}.{name}.{number}"
        number += 1
    taken.add(found)
    return found


def _is_repeat(one: Answer, other: Answer) -> bool:
    """Return whether two answers of one service to one item are the same one."""
    return (
        one.said == other.said
        and one.annotator == other.annotator
        and one.scores.keys() == other.scores.keys()
        and all(_same(one.scores[name], other.scores[name]) for name in one.scores)
        and one.judges == other.judges
    )


def _same(one: float | None, other: float | None) -> bool:
    """Return whether two scores are equal; NaN equals itself."""
    return one == other or (one != one and other != other)


def _number(value: Any) -> float | None:
    """Return a score as a number, None if it is none or not finite."""
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _verdict(value: Any) -> Any:
    """Return a judge's opinion as a cell."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value)
    return str(value)[:LONGEST_TEXT]
