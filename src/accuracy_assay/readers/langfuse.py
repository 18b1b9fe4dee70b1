"""Langfuse exports: files of scores, observations and traces, in Parquet, JSON or JSON lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.files.damage import DAMAGE, refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.joined import joined
from accuracy_assay.readers.json_files import json_lines, note, opening
from accuracy_assay.readers.repeats import paired
from accuracy_assay.readers.untrusted import chat, entries, figure, parsed, verdict, words

__all__ = ["LangfuseExports"]

_KINDS: Mapping[str, frozenset[str]] = {
    "scores": frozenset({"id", "trace_id", "name", "value", "source", "data_type"}),
    "observations": frozenset({"id", "trace_id", "type", "start_time", "parent_observation_id"}),
    "traces": frozenset({"id", "timestamp", "session_id", "user_id", "release", "bookmarked"}),
}
"""By kind of file, the columns that every export of it has, in Langfuse's own names."""
_ENDINGS = (".jsonl", ".ndjson", ".json")
_NAMES = re.compile(r'"([A-Za-z_]+)"\s*:')
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_PEOPLE, _EVALUATORS = "ANNOTATION", "EVAL"
_SOMEBODY = "somebody"
"""The annotator where an export does not say who it was."""
_FACTS = ("environment", "name", "trace_name", "release", "version", "prompt_name", "tags")
_DATASET_ITEM = ("dataset_item_id", "experiment_item_id")
_COLUMNS = frozenset().union(*_KINDS.values()) | {
    *_FACTS,
    *_DATASET_ITEM,
    "author_user_id",
    "experiment_item_expected_output",
    "input",
    "metadata",
    "model",
    "observation_id",
    "output",
    "provided_model_name",
    "string_value",
    "updated_at",
}
"""What is read of a Parquet file; exports hold prices and tokens of every observation too."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LangfuseExports:
    """Reads what Langfuse exports: scored traces and observations are items.

    Scores of people are scores, those of evaluators are judges.
    """

    def reads(self, path: Path) -> bool:
        """Return whether a file holds scores, observations or traces."""
        return _kind(path) is not None

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some files, one per trace or observation that has a score.

        Those of one item of a dataset are one row; without datasets, those of several models
        that were asked the same.

        Raises
        ------
        InputError
            If a file is damaged, or none holds anything.
        """
        left_out: dict[str, str] = {}
        found = _Export()
        for path in sorted(paths, key=lambda path: (_kind(path) != "scores", path)):
            for kind, row in _rows(path, found.scored_traces(), left_out):
                found.take(kind, row)
        for kind in ("scores", "observations"):
            if not getattr(found, kind) and not (kind == "observations" and found.traces):
                left_out[kind] = "none in these files"
        with refusing_damage("exports of Langfuse", ", ".join(p.name for p in paths), "a log"):
            answers = list(_answers(found, left_out))
            if not any(_dataset_item(row) for row in found.rows()):
                answers = paired(answers, by="input")
        return joined(answers, paths, "scores or generations of Langfuse", left_out)


def _kind(path: Path) -> str | None:
    """Return what a file holds, by its columns; None if it is not from Langfuse."""
    names: Iterable[str] = _NAMES.findall(opening(path, _ENDINGS))
    if path.name.lower().endswith(".parquet"):
        with suppress(*DAMAGE):
            if path.is_file():
                with path.open("rb") as file:
                    names = pl.read_parquet_schema(file)
    return _kind_of(names)


def _kind_of(names: Iterable[str]) -> str | None:
    has = {_snake(name) for name in names}
    return next((kind for kind, needs in _KINDS.items() if needs <= has), None)


def _snake(name: str) -> str:
    """Return Langfuse's own name of a column; what its page exports has names in camel case."""
    return _CAMEL.sub(r"_\1", name).lower()


def _rows(
    path: Path, traces: Sequence[str], left_out: MutableMapping[str, str]
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a file, and what each of them is."""
    what = "an export of Langfuse"
    rows: Iterable[Row]
    if path.name.lower().endswith(".parquet"):
        with refusing_damage(f"{what} in Parquet", str(path), "a log"):
            rows = _parquet_rows(path, traces).to_dicts()
    else:
        rows = json_lines(path, what, left_out)
    for row in rows:
        named = {_snake(str(name)): value for name, value in row.items()}
        kind = _kind_of(named)
        if kind is not None:
            yield kind, named


def _parquet_rows(path: Path, traces: Sequence[str]) -> pl.DataFrame:
    """Return the rows of a file; of observations and traces, those that have scores.

    An export holds everything that a project did, of which a small part may have scores.
    """
    scan = pl.scan_parquet(path, glob=False)
    columns = {name: _snake(name) for name in scan.collect_schema() if _snake(name) in _COLUMNS}
    n_rows = scan.select(pl.len()).collect().item()
    if n_rows > path.stat().st_size:  # every row has an id of its own
        raise ValueError(f"{n_rows:,} rows in {path.stat().st_size:,} bytes")
    trace = {"observations": "trace_id", "traces": "id"}.get(_kind_of(columns) or "")
    rows = scan.select(list(columns)).rename(columns)
    return (rows.filter(pl.col(trace).is_in(traces)) if traces and trace else rows).collect()


@dataclass(slots=True)
class _Export:
    """Rows by their id; of two versions of a row, the later one counts."""

    scores: dict[str, Row] = field(default_factory=dict)
    observations: dict[str, Row] = field(default_factory=dict)
    traces: dict[str, Row] = field(default_factory=dict)
    parts: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))

    def take(self, kind: str, row: Row) -> None:
        """Keep a row."""
        name, rows = words(row.get("id")), getattr(self, kind)
        if name is None or _updated(row) < _updated(rows.get(name, {})):
            return
        rows[name] = row
        if kind == "observations":
            self.parts[str(row.get("trace_id"))][name] = None

    def scored_traces(self) -> list[str]:
        """Return the traces that have scores."""
        named = (words(score.get("trace_id")) for score in self.scores.values())
        return list(dict.fromkeys(name for name in named if name))

    def rows(self) -> Iterator[Row]:
        """Yield traces and observations."""
        yield from self.traces.values()
        yield from self.observations.values()

    def of_trace(self, trace: str) -> list[Row]:
        """Return the observations of a trace in the order of time."""
        rows = [self.observations[name] for name in self.parts.get(trace, ())]
        return sorted(rows, key=lambda row: str(row.get("start_time")))


def _updated(row: Row) -> str:
    return str(row.get("updated_at") or "")


@dataclass(frozen=True, slots=True)
class _Place:
    """A trace, or an observation in it."""

    trace: str | None
    observation: str | None


def _answers(found: _Export, left_out: MutableMapping[str, str]) -> Iterator[Answer]:
    """Yield what was answered, then what each source said about it."""
    by_place = _places(found)
    if lost := len(by_place.pop(_Place(None, None), [])):
        note(left_out, "scores of sessions and runs", lost, "scores that belong to no trace")
    if not by_place:
        by_place = {
            _Place(words(row.get("trace_id")), name): []
            for name, row in found.observations.items()
            if _is_generation(row)
        }
    unclear = _unclear_names(found.scores.values())
    for name, values in unclear.items():
        left_out[f"score {name}"] = f"categories without a value: {', '.join(sorted(values)[:5])}"
    for place, scores in by_place.items():
        answer = _answer(found, place)
        people: dict[str | None, dict[str, float | None]] = defaultdict(dict)
        judges: dict[str, float | str | None] = {}
        for score in scores:
            _sort_in(score, people, judges, unclear, left_out)
        machine = people.pop(None, {})
        yield replace(answer, scores=machine, judges=judges)
        for annotator, given in people.items():
            yield replace(answer, scores=given, annotator=annotator)


def _places(found: _Export) -> dict[_Place, list[Row]]:
    """Return the scores of each place.

    Where people score traces and evaluators the only generation in each, both mean one answer.
    """
    by_place: dict[_Place, list[Row]] = defaultdict(list)
    for score in found.scores.values():
        place = _Place(words(score.get("trace_id")), words(score.get("observation_id")))
        by_place[place].append(score)
    for place in list(by_place):
        whole = _Place(place.trace, None)
        generations = [
            row.get("id") for row in found.of_trace(place.trace or "") if _is_generation(row)
        ]
        if place != whole and whole in by_place and generations == [place.observation]:
            by_place[whole] += by_place.pop(place)
    return by_place


def _is_generation(row: Row) -> bool:
    return row.get("type") == "GENERATION"


def _sort_in(
    score: Row,
    people: Mapping[str | None, MutableMapping[str, float | None]],
    judges: MutableMapping[str, float | str | None],
    unclear: Mapping[str, set[str]],
    left_out: MutableMapping[str, str],
) -> None:
    """Put a score where it belongs: to a person, to a judge, or to the program that sent it."""
    name, source, kind = words(score.get("name")), score.get("source"), score.get("data_type")
    if name is None:
        return
    text, number = words(score.get("string_value")), figure(score.get("value"))
    is_number = kind in ("NUMERIC", "BOOLEAN")
    if kind not in ("NUMERIC", "BOOLEAN", "CATEGORICAL"):
        left_out[f"score {name}"] = f"of type {kind}"
    elif source == _EVALUATORS:
        judges[name] = number if is_number else text
    elif name not in unclear:
        value = number if is_number else verdict(text)
        people[_author(score, people)][name] = value


def _author(score: Row, people: Mapping[str | None, Mapping[str, float | None]]) -> str | None:
    """Return who gave a score: a person, or None for a program.

    Exports to blob storage say so with the field group ``score_provenance`` alone. Of several
    people who scored one answer, each is then somebody else.
    """
    if score.get("source") != _PEOPLE:
        return None
    author = words(score.get("author_user_id"))
    if author is not None:
        return author
    name, number = _SOMEBODY, 1
    while score.get("name") in people.get(name, {}):
        number += 1
        name = f"{_SOMEBODY} {number}"
    return name


def _unclear_names(scores: Iterable[Row]) -> dict[str, set[str]]:
    """Return scores by category that do not say which categories are good."""
    found: dict[str, set[str]] = defaultdict(set)
    for score in scores:
        is_category = score.get("data_type") == "CATEGORICAL" and score["source"] != _EVALUATORS
        if is_category and verdict(score.get("string_value")) is None:
            found[str(score.get("name"))].add(str(score.get("string_value")))
    return found


def _answer(found: _Export, place: _Place) -> Answer:
    """Return what was asked and answered at a place, without scores."""
    trace = found.traces.get(place.trace or "", {})
    parts = found.of_trace(place.trace or "")
    roots = [row for row in parts if not words(row.get("parent_observation_id"))]
    if place.observation is not None:
        rows = [found.observations.get(place.observation, {}), trace]
    else:
        rows = [trace, *roots[:1]]
    models = {model for model in map(_model, parts) if model}
    own = _model(rows[0])
    names = (words(row.get(name)) for name in ("trace_name", "name") for row in rows)
    named = next((name for name in names if name), None)
    metadata = _first(rows, "metadata")
    about = _pairs(parsed(metadata))
    return Answer(
        own or (models.pop() if len(models) == 1 else named) or "model",
        next((item for item in map(_dataset_item, rows) if item), None)
        or place.observation
        or str(place.trace),
        chat(parsed(_first(rows, "output"))),
        target=chat(parsed(_first(rows, "experiment_item_expected_output"))),
        texts={"input": chat(parsed(_first(rows, "input")))},
        facts={**{name: _first([*rows, *roots], name) for name in _FACTS}, **about},
        run=words(about.get("experiment_run_name")),
    )


def _dataset_item(row: Row) -> str | None:
    """Return which item of a dataset a row is about: experiments say so."""
    about = _pairs(parsed(row.get("metadata")))
    named = (words(part.get(name)) for name in _DATASET_ITEM for part in (row, about))
    return next((name for name in named if name), None)


def _pairs(value: Any) -> Mapping[str, Any]:
    """Return an object; a map in Parquet is a list of keys with their values."""
    pairs = [entries(pair) for pair in value] if isinstance(value, list) else []
    return entries(value) or {str(p["key"]): p.get("value") for p in pairs if "key" in p}


def _model(row: Row) -> str | None:
    return words(row.get("provided_model_name")) or words(row.get("model"))


def _first(rows: Sequence[Row], name: str) -> Any:
    """Return the first value that is there; Langfuse writes an empty text for none."""
    return next((row[name] for row in rows if row.get(name) not in (None, "", [], {})), None)
