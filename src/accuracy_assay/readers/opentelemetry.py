"""OpenTelemetry: ``gen_ai.evaluation.result`` events in OTLP JSON, or one record per line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.joined import joined
from accuracy_assay.readers.json_files import json_lines, note, opening, read_json
from accuracy_assay.readers.repeats import merged, paired
from accuracy_assay.readers.untrusted import (
    chat,
    elements,
    entries,
    figure,
    parsed,
    verdict,
    words,
)

__all__ = ["OpenTelemetryEvents"]

_EVENT = "gen_ai.evaluation.result"
_OTLP = re.compile(r'\s*[\[{]\s*(\{\s*)?"resource(Logs|Spans)"\s*:')
_RECORD = re.compile(
    r'"(name|event_?name|event\.name)"\s*:\s*"gen_ai\.evaluation\.result"'
    r'|"gen_ai\.evaluation\.(name|score\.(value|label))"\s*:',
    re.IGNORECASE,
)
_EVALUATION = "gen_ai.evaluation."
_NO_FACTS = ("gen_ai.evaluation.", "gen_ai.input.", "gen_ai.output.", "gen_ai.system_instr")
"""Attributes that are no facts about an item: verdicts and texts."""
_NO_FACT = ("gen_ai.response.id", "gen_ai.request.model", "gen_ai.response.model", "event.name")
_CONVERSATION = ("gen_ai.conversation.id", "session.id")
"""What a result is about where it names no response, no span and no trace."""
_OF_MODELS = ("gen_ai.request.model", "gen_ai.response.model")
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class OpenTelemetryEvents:
    """Reads results of evaluations; the spans that they belong to give model and texts."""

    def reads(self, path: Path) -> bool:
        """Return whether a file holds logs or spans of OTLP, or records of evaluations."""
        text = opening(path, (".json", ".jsonl", ".ndjson"))
        is_json = text.startswith(("{", "["))
        return is_json and bool(_OTLP.match(text) or _RECORD.search(text))

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some files, one per response that was evaluated.

        If several models were asked the same, their responses are one row.

        Raises
        ------
        InputError
            If a file is damaged, or none holds the result of an evaluation.
        """
        left_out: dict[str, str] = {}
        found = _Found()
        for path in sorted(paths):
            what = "OpenTelemetry records"
            values = _values(path, what, left_out)
            with refusing_damage(what, str(path), "a log"):
                for value in values:
                    found.take(value)
        with refusing_damage(f"{_EVENT} events", ", ".join(map(str, paths)), "a log"):
            answers = list(_answers(found))
        if lost := sum(_item(*result, found) is None for result in found.results):
            note(left_out, "results without a response", lost, "with no response, span or trace")
        latest = {(a.service, a.item, *a.scores, *a.judges): a for a in answers}
        answers = paired(merged(latest.values()), by="input")
        return joined(answers, paths, f"{_EVENT} events", left_out)


def _values(path: Path, what: str, left_out: MutableMapping[str, str]) -> list[Any]:
    """Return the values of a file: the collector writes lines to ``.json`` files too."""
    if path.name.lower().removesuffix(".gz").endswith(".json"):
        with suppress(InputError):
            return [read_json(path, what)]
    return [*json_lines(path, what, left_out)]


@dataclass(slots=True)
class _Found:
    """Results of evaluations with the span of each, and the attributes of spans."""

    results: list[tuple[Mapping[str, Any], str | None]] = field(default_factory=list)
    spans: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def take(self, value: Any) -> None:
        """Find the results in a line, an export or a list of them."""
        if isinstance(value, list):
            for part in value:
                self._take_object(entries(part))
        self._take_object(entries(value))

    def _take_object(self, value: Mapping[str, Any]) -> None:
        for record in _nested(value, "resourceLogs", "scopeLogs", "logRecords"):
            self._take_record(record)
        for span in _nested(value, "resourceSpans", "scopeSpans", "spans"):
            self._take_span(span)
        if "events" in value and "attributes" in value:
            self._take_span(value)
        else:
            self._take_record(value)

    def _take_span(self, span: Mapping[str, Any]) -> None:
        place = _place(span)
        if place is not None:
            self.spans[place] = _attributes(span.get("attributes"))
            if any(name in self.spans[place] for name in _OF_MODELS):
                trace = f"{place.partition('/')[0]}/"
                self.spans.setdefault(trace, self.spans[place])
        for event in map(entries, elements(span.get("events"))):
            self._take_record(event, place)

    def span(self, place: str | None) -> Mapping[str, Any]:
        """Return the attributes of a span; for a whole trace, those of its first call."""
        return self.spans.get(place or "", {})

    def _take_record(self, record: Mapping[str, Any], place: str | None = None) -> None:
        attributes = _attributes(record.get("attributes"))
        if not attributes and any(str(name).startswith(_EVALUATION) for name in record):
            attributes = dict(record)
        names = [record.get(key) for key in ("eventName", "event_name", "name")]
        is_result = _EVENT in (*names, attributes.get("event.name"))
        if is_result or words(attributes.get(f"{_EVALUATION}name")):
            self.results.append((attributes, place or _place(record)))


def _nested(value: Mapping[str, Any], *path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects at the end of a path of lists."""
    if not path:
        yield value
        return
    for part in elements(value.get(path[0])):
        yield from _nested(entries(part), *path[1:])


def _place(record: Mapping[str, Any]) -> str | None:
    """Return which span a record is or belongs to, or else which trace."""
    context = entries(record.get("context"))
    names = ("spanId", "span_id")
    span = next((words(part[n]) for part in (record, context) for n in names if n in part), None)
    names = ("traceId", "trace_id")
    trace = next((words(part[n]) for part in (record, context) for n in names if n in part), None)
    # Zeros stand for none.
    named = [x.removeprefix("0x") if x and x.strip("0x") else "" for x in (trace, span)]
    return "/".join(named) if any(named) else None


def _attributes(value: Any) -> dict[str, Any]:
    """Return attributes by name: an object, or OTLP's list of keys and typed values."""
    if isinstance(value, Mapping):
        return dict(value)
    pairs = (entries(pair) for pair in elements(value))
    return {str(pair["key"]): _value(pair.get("value")) for pair in pairs if "key" in pair}


def _value(value: Any, depth: int = 0) -> Any:
    """Return what a typed value of OTLP holds; whole numbers are written as texts."""
    for kind, content in entries(value).items():
        if kind == "intValue":
            return _whole(content)
        if kind == "arrayValue" and depth < _DEEPEST:
            return [_value(part, depth + 1) for part in elements(entries(content).get("values"))]
        if kind == "kvlistValue" and depth < _DEEPEST:
            pairs = map(entries, elements(entries(content).get("values")))
            return {str(pair.get("key")): _value(pair.get("value"), depth + 1) for pair in pairs}
        if kind in ("stringValue", "doubleValue", "boolValue"):
            return content
    return None


def _whole(content: Any) -> Any:
    is_number = isinstance(content, str) and re.fullmatch(r"-?\d{1,18}", content)
    return int(content) if is_number else content


def _answers(found: _Found) -> Iterator[Answer]:
    """Yield an answer per result; results of one response become one row."""
    verdicts = _verdict_names(found)
    for attributes, place in found.results:
        both = {**found.span(place), **attributes}
        item = _item(attributes, place, found)
        if item is None:
            continue
        name = words(attributes.get(f"{_EVALUATION}name")) or "evaluation"
        score, said = _result(attributes)
        model = both.get("gen_ai.request.model") or both.get("gen_ai.response.model")
        yield Answer(
            words(model) or "model",
            item,
            chat(parsed(both.get("gen_ai.output.messages"))),
            {} if name in verdicts else {name: score},
            {name: said} if name in verdicts else {},
            texts={"input": chat(parsed(both.get("gen_ai.input.messages")))},
            facts={
                key: value
                for key, value in both.items()
                if not key.startswith(_NO_FACTS) and key not in _NO_FACT
            },
        )


def _item(attributes: Mapping[str, Any], place: str | None, found: _Found) -> str | None:
    """Return which response a result is about: else which span, trace or conversation."""
    both = {**found.span(place), **attributes}
    response, *others = (words(both.get(name)) for name in ("gen_ai.response.id", *_CONVERSATION))
    return next((name for name in (response, place, *others) if name), None)


def _result(attributes: Mapping[str, Any]) -> tuple[float | None, float | str | None]:
    """Return the score of a result, and what to show of it if it is no score.

    A label that says whether it passed decides: a value of 1 means good to some evaluators and
    bad to others.
    """
    label = words(attributes.get(f"{_EVALUATION}score.label"))
    value = figure(attributes.get(f"{_EVALUATION}score.value"))
    passed = verdict(label)
    return (value if passed is None else passed), (label if value is None else value)


def _verdict_names(found: _Found) -> set[str]:
    """Return the evaluations some of whose results are no scores in [0, 1]: they are judges."""
    names = set()
    for attributes, _ in found.results:
        score, said = _result(attributes)
        is_score = score is not None and 0.0 <= score <= 1.0
        if not is_score and said is not None:
            names.add(words(attributes.get(f"{_EVALUATION}name")) or "evaluation")
    return names
