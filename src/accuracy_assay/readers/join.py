"""Answers of several services become one table: one row per item and epoch.

Every reader yields `Answer` values, in any order, and leaves the rest to `join_answers`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from accuracy_assay.domain.eval_log import PREDICTION, EvalLog, ServiceColumns
from accuracy_assay.errors import InputError
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.facts import LONGEST_TEXT, flatten, plain_column
from accuracy_assay.readers.people import Judged, People, settled, with_people
from accuracy_assay.readers.runs import is_empty, is_same, with_runs
from accuracy_assay.readers.untrusted import figure

__all__ = ["join_answers"]

_ID, _ITEM, _TARGET = "id", "item", "target"
_MOST_FACTS = 300
"""Most columns of facts: more of them are data, not descriptions of items."""
_MOST_CELLS = 50_000_000
"""Most cells of all services together, 400 MB of numbers."""
_MOST_ROUNDS = 50
"""Most times that a service may answer an item without epochs: more are a log of something else,
and each is a column."""
_NAMED = 3
"""Items that a reason names; the others are counted."""
_ROUNDING = 1e-9
"""A score may be this far outside [0, 1]: an average of ones in floating point."""

Place = tuple[str, int | None]
"""An item and its epoch: a row."""
Kind = tuple[tuple[str, ...], str | None]
"""Answers that may repeat one another: scored by the same metrics, by the same person."""


def join_answers(
    answers: Iterable[Answer], *, left_out: Mapping[str, str] | None = None
) -> EvalLog:
    """Return the log of some answers.

    Answers of several services to one item are one row. Where a service answers all over again,
    the repeats count once if they are the same for every item, as in a file that was appended to;
    else they are numbered: ``exact_match`` and ``exact_match.2``. If runs of a service
    (`Answer.run`) contradict each other, each run is a service. Items in several epochs are
    several rows, with the column ``item`` as the cluster.

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
    >>> again = Answer("large", "q1", "4", {"exact": 1.0}, target="4", facts={"topic": "sums"})
    >>> log = join_answers([said, again, said])
    >>> log.rows.columns
    ['id', 'topic', 'target', 'pred:small', 'score:small:exact', 'pred:large', 'score:large:exact']
    """
    every = list(answers)  # first: a reader may note what it leaves out while it yields them
    named, people = with_people(with_runs(every))
    table = _Table(dict(left_out or {}), people)
    for answer in named:
        table.add(answer)
    return table.log()


@dataclass(slots=True)
class _Service:
    """What is known of one service, by row."""

    rounds: dict[Kind, list[dict[int, Answer]]] = field(default_factory=dict)
    said: dict[int, str] = field(default_factory=dict)
    scores: dict[str, dict[int, float]] = field(default_factory=dict)
    judges: dict[str, dict[int, Any]] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    n_dropped: int = 0

    def add(self, row: int, answer: Answer) -> None:
        """Put an answer into the first round of its kind that has no answer to the item yet."""
        rounds = self.rounds.setdefault((tuple(answer.scores), answer.annotator), [])
        for answers in rounds:
            if row not in answers or is_empty(answers[row]):
                answers[row] = answer
                return
        if len(rounds) < _MOST_ROUNDS:
            rounds.append({row: answer})
        else:
            self.n_dropped += 1

    def new_rounds(self) -> Iterator[tuple[int, dict[int, Answer]]]:
        """Yield the numbered rounds, without those that repeat an earlier one."""
        for rounds in self.rounds.values():
            kept: list[dict[int, Answer]] = []
            for answers in rounds:
                if not any(_is_repeat(answers, earlier) for earlier in kept):
                    kept.append(answers)
                    yield len(kept), answers


@dataclass(slots=True)
class _Table:
    """The rows and columns so far; the only thing here that changes."""

    left_out: dict[str, str]
    people: People = field(default_factory=dict)
    places: dict[Place, int] = field(default_factory=dict)
    services: dict[str, _Service] = field(default_factory=dict)
    targets: dict[int, str] = field(default_factory=dict)
    texts: dict[str, dict[int, str]] = field(default_factory=dict)
    facts: dict[str, dict[int, Any]] = field(default_factory=dict)
    raw_facts: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    changing: dict[str, int] = field(default_factory=dict)
    other_targets: dict[int, None] = field(default_factory=dict)
    other_answers: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    other_verdicts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    cut_texts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    not_numbers: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    judged: dict[str, Judged] = field(default_factory=dict)

    def add(self, answer: Answer) -> None:
        """Take one answer in."""
        row = self.places.setdefault((answer.item, answer.epoch), len(self.places))
        self._add_item(row, answer)
        self.services.setdefault(answer.service, _Service()).add(row, answer)

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

    def _fill(self, name: str, service: _Service) -> None:
        """Turn the rounds of a service into columns."""
        for number, answers in service.new_rounds():
            service.asked |= answers.keys()
            for row, answer in answers.items():
                if answer.said is not None:
                    text = self._cut(f"answers of {name}", answer.said)
                    self.other_answers[name] += service.said.setdefault(row, text) != text
                for metric, value in answer.scores.items():
                    self._fill_score(service.scores, row, metric, number, value)
                for judge, verdict in answer.judges.items():
                    if verdict is not None:
                        cells = service.judges.setdefault(judge, {})
                        other = cells.setdefault(row, _verdict(verdict)) != _verdict(verdict)
                        self.other_verdicts[judge] += other

    def _fill_score(
        self, scores: dict[str, dict[int, float]], row: int, metric: str, number: int, value: Any
    ) -> None:
        """Put a score into the column of its round, or the next one that is free."""
        if value is None:
            return
        score = figure(value)
        if score is None:
            self.not_numbers[metric] += 1
            return
        while True:
            column = metric if number == 1 else f"{metric}.{number}"
            if scores.setdefault(column, {}).setdefault(row, score) == score:
                return
            number += 1

    def _settle(self, service: _Service, people: Mapping[str, Mapping[str, str]]) -> None:
        """Put what most people say before what each of them says."""
        for metric, names in people.items():
            if metric in service.scores:  # a program gave scores of this name
                continue
            own = {who: service.scores.get(name, {}) for who, name in names.items()}
            service.scores = {metric: settled(own), **service.scores}
            self.judged.setdefault(metric, Judged()).add(own)

    def _cut(self, name: str, text: str) -> str:
        if len(text) <= LONGEST_TEXT:
            return text
        self.cut_texts[name] += 1
        return text[:LONGEST_TEXT]

    def log(self) -> EvalLog:
        """Return the table as a log."""
        if not self.places:
            raise InputError("a log must hold at least one answer; got none.")
        for name, service in self.services.items():
            self._fill(name, service)
            self._settle(service, self.people.get(name, {}))
        self._explain()
        n_rows, taken = len(self.places), {_ID, _ITEM, _TARGET}
        self._require_room(n_rows)
        outside = self._outside()
        by_service, of_services = {}, []
        for name, service in self.services.items():
            found, made = _columns_of(name, service, n_rows, outside, taken)
            by_service[name] = replace(found, people=_people(found, self.people.get(name, {})))
            of_services += made
        texts = _columns(self.texts, "text", n_rows, taken)
        facts = {name: x for name, x in self.facts.items() if name not in self.changing}
        columns = [*self._item_columns(), *texts, *_columns(facts, "fact", n_rows, taken)]
        if self.targets:
            targets = {row: x for row, x in self.targets.items() if row not in self.other_targets}
            columns.append(pl.Series(_TARGET, _spread(targets, n_rows), dtype=pl.String))
        rows = pl.DataFrame([*columns, *of_services])
        return EvalLog(
            rows,
            by_service,
            target=_TARGET if self.targets else None,
            id=_ID,
            cluster=_ITEM if _ITEM in rows.columns else None,
            texts=tuple(column.name for column in texts),
            left_out=self.left_out,
        )

    def _require_room(self, n_rows: int) -> None:
        n_columns = sum(1 + len(s.scores) + len(s.judges) for s in self.services.values())
        if n_columns * n_rows > _MOST_CELLS:
            raise InputError(
                f"a log must have at most {_MOST_CELLS:,} cells; got {n_columns:,} columns of "
                f"{len(self.services):,} services for {n_rows:,} rows. Read fewer files at once."
            )

    def _item_columns(self) -> list[pl.Series]:
        """Return the column of ids, and that of items where they repeat."""
        items = [item for item, _ in self.places]
        is_repeated = len(set(items)) < len(items)
        ids, used = [], set[str]()
        for item, epoch in self.places:
            name = item if epoch is None or not is_repeated else f"{item}#{epoch}"
            ids.append(_free(name, "item", used))
        columns = [pl.Series(_ID, ids, dtype=pl.String)]
        if is_repeated:
            columns.append(pl.Series(_ITEM, items, dtype=pl.String))
        return columns

    def _outside(self) -> dict[str, tuple[float, float]]:
        """Return the metrics with a value outside [0, 1], and their ranges, over all services."""
        ranges: dict[str, tuple[float, float]] = {}
        for service in self.services.values():
            for metric, cells in service.scores.items():
                if cells:
                    low, high = ranges.get(metric, (math.inf, -math.inf))
                    ends = min(cells.values()), max(cells.values())
                    ranges[metric] = (min(low, ends[0]), max(high, ends[1]))
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
        for metric, judged in self.judged.items():
            self.left_out[f"a truth behind {metric}"] = judged.reason
        for name, service in self.services.items():
            if count := self.other_answers[name] + service.n_dropped:
                self.left_out[f"further answers of {name}"] = f"{count} after the first"
        for judge, count in self.other_verdicts.items():
            if count:
                self.left_out[f"further verdicts of {judge}"] = f"{count} after the first"
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
    if service.said:
        prediction = _free(f"{PREDICTION}{name}", "answer", taken)
        is_scored = any(
            cells and metric not in outside for metric, cells in service.scores.items()
        )
        # Without scores, only an answer tells "said nothing" from "was never asked".
        silent = {} if is_scored else dict.fromkeys(service.asked, "")
        answers = {**silent, **service.said}
        made.append(pl.Series(prediction, _spread(answers, n_rows), dtype=pl.String))
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


def _people(
    found: ServiceColumns, people: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Return the columns of each person's verdicts, by metric."""
    named = {
        metric: {who: found.scores[name] for who, name in names.items() if name in found.scores}
        for metric, names in people.items()
    }
    return {metric: columns for metric, columns in named.items() if columns}


def _columns(
    named: Mapping[str, Mapping[int, Any]], kind: str, n_rows: int, taken: set[str]
) -> list[pl.Series]:
    """Return the columns of texts or facts."""
    return [
        plain_column(_free(name, kind, taken), _spread(cells, n_rows))
        for name, cells in named.items()
    ]


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


def _is_repeat(answers: Mapping[int, Answer], earlier: Mapping[int, Answer]) -> bool:
    """Return whether a round says nothing that an earlier one has not said."""
    return all(row in earlier and is_same(a, earlier[row]) for row, a in answers.items())


def _verdict(value: Any) -> Any:
    """Return a judge's opinion as a cell."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return figure(value)
    return str(value)[:LONGEST_TEXT]
