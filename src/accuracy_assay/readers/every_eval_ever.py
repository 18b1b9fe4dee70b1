"""Every Eval Ever: a record of a run in JSON, and its samples in ``*_samples.jsonl``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.copies import without_copies
from accuracy_assay.readers.joined import joined
from accuracy_assay.readers.json_files import json_lines, opening, read_json
from accuracy_assay.readers.repeats import merged, numbered
from accuracy_assay.readers.untrusted import chat, digest, elements, entries, figure, shown, words

__all__ = ["EveryEvalEver"]

_SAMPLES = "_samples.jsonl"
_RECORD_KEYS = ("schema_version", "evaluation_id", "model_info")
_SAMPLE_KEYS = ("schema_version", "evaluation_id", "model_id", "sample_id")
_CORRECT = " (is_correct)"
"""Follows the name of a metric where a sample says whether it is correct beside its score."""

_ROUNDED = 1e-3
"""Records round their averages."""


@dataclass(frozen=True, slots=True)
class EveryEvalEver:
    """Reads records and samples; naming one of the two is enough if they lie side by side."""

    def reads(self, path: Path) -> bool:
        """Return whether a file is a record or the samples of one."""
        if path.name.lower().endswith(_SAMPLES):
            return _has_keys(opening(path, (_SAMPLES,)), _SAMPLE_KEYS)
        return _has_keys(opening(path, (".json",)), _RECORD_KEYS)

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some samples; records say what their scores mean.

        Raises
        ------
        InputError
            If a file is damaged, or a record stands alone.
        """
        left_out: dict[str, str] = {}
        samples, records = _files(paths)
        results: dict[tuple[str, str], Mapping[str, Any]] = {}
        for path in records:
            results.update(_results(path))
        files: list[list[Answer]] = []
        for path in samples:
            found = json_lines(path, "samples of Every Eval Ever", left_out)
            with refusing_damage("samples of Every Eval Ever", str(path), "a log"):
                lines = _once(found)
                files.append(list(_answers(lines, results, left_out)))
                _compare_averages(lines, results, left_out)
        answers = numbered(files, has_line_per_metric=True)
        metrics = {name for answer in answers for name in answer.scores}
        copies = {name: name.removesuffix(_CORRECT) for name in metrics if name.endswith(_CORRECT)}
        return joined(
            merged(without_copies(answers, copies)), paths, "samples of Every Eval Ever", left_out
        )


def _has_keys(text: str, keys: Sequence[str]) -> bool:
    """Return whether a text begins as an object with some keys."""
    return text.startswith("{") and all(re.search(rf'"{key}"\s*:', text) for key in keys)


def _files(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the files of samples and of records, with the halves that lie beside them."""
    samples: set[Path] = set()
    records: set[Path] = set()
    for path in paths:
        name = path.name
        is_samples = name.lower().endswith(_SAMPLES)
        stem = name[: -len(_SAMPLES)] if is_samples else path.stem
        (samples if is_samples else records).add(path)
        other = path.with_name(f"{stem}.json" if is_samples else f"{stem}{_SAMPLES}")
        if EveryEvalEver().reads(other):
            (records if is_samples else samples).add(other)
    return sorted(samples), sorted(records)


def _results(path: Path) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    """Yield the results of a record, by the run and by their id or their name."""
    record = entries(read_json(path, "a record of Every Eval Ever"))
    run = str(record.get("evaluation_id"))
    for result in map(entries, elements(record.get("evaluation_results"))):
        for name in ("evaluation_name", "evaluation_result_id"):
            if words(result.get(name)):
                yield (run, str(result[name])), result


def _once(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the lines without copies: a file may be written twice."""
    return list({digest(line): line for line in lines}.values())


def _answers(
    lines: Sequence[Mapping[str, Any]],
    results: Mapping[tuple[str, str], Mapping[str, Any]],
    left_out: MutableMapping[str, str],
) -> Iterator[Answer]:
    """Yield the answers of one file; a sample with several metrics stands on several lines."""
    for line in lines:
        result = _result(line, results)
        asked = entries(line.get("input"))
        scores, judges = _metrics(line, result, left_out)
        references = [text for text in map(words, elements(asked.get("reference"))) if text]
        choices = [shown(choice) or "" for choice in elements(asked.get("choices"))]
        yield Answer(
            words(line.get("model_id")) or "model",
            words(line.get("sample_hash")) or digest(asked.get("raw"), references),
            _as_choice(_said(line), choices, references),
            scores,
            judges,
            target=" | ".join(references) or None,
            texts={
                "input": words(asked.get("raw")),
                "choices": "\n".join(choices) or None,
            },
            facts=_facts(line, result),
            run=str(line.get("evaluation_id")),
        )


def _result(
    line: Mapping[str, Any], results: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return the result of the record that a sample counts towards."""
    run = str(line.get("evaluation_id"))
    names = ("evaluation_result_id", "evaluation_name")
    found = (results.get((run, str(line.get(name)))) for name in names)
    return next((result for result in found if result), {})


def _compare_averages(
    lines: Sequence[Mapping[str, Any]],
    results: Mapping[tuple[str, str], Mapping[str, Any]],
    left_out: MutableMapping[str, str],
) -> None:
    """Say where samples do not add up to the record: some of them are not there."""
    scores: dict[int, list[float]] = defaultdict(list)
    by_number = {id(result): result for result in results.values()}
    for line in lines:
        score = figure(entries(line.get("evaluation")).get("score"))
        if score is not None:
            scores[id(_result(line, results))].append(score)
    for number, values in scores.items():
        result = by_number.get(number, {})
        reported = figure(entries(result.get("score_details")).get("score"))
        average = sum(values) / len(values)
        if reported is not None and abs(average - reported) > _ROUNDED:
            name = f"samples of {result.get('evaluation_name')}"
            left_out[name] = f"the record reports {reported:g}, its samples average {average:g}"


def _metrics(
    line: Mapping[str, Any], result: Mapping[str, Any], left_out: MutableMapping[str, str]
) -> tuple[dict[str, float | None], dict[str, float | str | None]]:
    """Return the score of a sample, from 0 to 1 if the record says its range, or a judge's."""
    config, verdict = entries(result.get("metric_config")), entries(line.get("evaluation"))
    names = (config.get("metric_name"), config.get("metric_id"), line.get("evaluation_name"))
    name = next((text for text in map(words, names) if text), "score")
    score = figure(verdict.get("score"))
    if entries(config.get("llm_scoring")):
        return {}, {name: score}
    correct = {f"{name}{_CORRECT}": figure(verdict.get("is_correct"))}
    if config.get("lower_is_better") is True:
        left_out[f"score {name}"] = "less of it is better"
        return correct, {}
    low, high = figure(config.get("min_score")), figure(config.get("max_score"))
    if score is not None and low is not None and high is not None and low < high:
        score = (score - low) / (high - low)
    return {name: score, **correct}, {}


def _said(line: Mapping[str, Any]) -> str | None:
    """Return the answer that was found in what the model wrote, or all that it wrote."""
    found = [entries(part) for part in elements(line.get("answer_attribution"))]
    for part in reversed(found):
        if part.get("is_terminal") is not False and words(part.get("extracted_value")):
            return str(part["extracted_value"])
    written = shown(entries(line.get("output")).get("raw"))
    if written is not None:
        return written
    messages = [entries(part) for part in elements(line.get("messages"))]
    said = [chat([part]) for part in messages if part.get("role") == "assistant"]
    return said[-1] if said else None


def _as_choice(said: str | None, choices: Sequence[str], references: Sequence[str]) -> str | None:
    """Return the choice that a letter stands for, if the truth is written out."""
    letter = (said or "").strip().upper()
    number = ord(letter) - ord("A") if len(letter) == 1 else -1
    if said in choices or not 0 <= number < len(choices) or not set(references) & set(choices):
        return said
    return choices[number]


def _facts(line: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the name of the data, the kind of interaction, and what the sample says itself."""
    data = entries(result.get("source_data"))
    return {
        "task": words(data.get("dataset_name")) or line.get("evaluation_name"),
        "interaction_type": line.get("interaction_type"),
        **entries(line.get("metadata")),
    }
