"""Logs of lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, one line per document and filter.

The name of the model is in ``results_DATE.json`` beside it, or else the name of the folder.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.join import join_answers
from accuracy_assay.readers.json_files import json_lines, opening, read_json
from accuracy_assay.readers.lm_eval_answers import choices_of, question_of, said_of
from accuracy_assay.readers.untrusted import elements, entries, figure, words

__all__ = ["LmEvalLogs"]

_SAMPLES = re.compile(r'\[?\s*\{\s*"doc_id"\s*:[^,{}]*,\s*"doc"\s*:')
"""How a file of samples begins; releases up to 0.4.2 wrote one list."""
_RESULTS = re.compile(r'\{\s*"results"\s*:\s*\{')
_NAMES = re.compile(r"(?:samples_)?(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl")
_MODEL_ARGUMENT = re.compile(r"(?:^|,)(?:pretrained|model|path)=([^,]+)")
_FIELDS = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter"),
        *("metrics", "doc_hash", "prompt_hash", "target_hash", "task_name"),
    }
)
"""What a line holds beside its metrics, in logs that do not name these."""
_NO_FILTER = "none"


@dataclass(frozen=True, slots=True)
class LmEvalLogs:
    """Reads lm-evaluation-harness 0.4; models join by the hash of the document."""

    def reads(self, path: Path) -> bool:
        """Return whether a file holds samples or results of the harness."""
        if path.suffix == ".json":
            is_named = path.name.startswith("results")
            return is_named and bool(_RESULTS.match(opening(path, (".json",))))
        return bool(_SAMPLES.match(opening(path, (".jsonl",))))

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some files of samples, or of those beside files of results.

        Raises
        ------
        InputError
            If a file is damaged, or none of them has samples.
        """
        named = [path for path in paths if path.suffix != ".json"]
        beside = (path for results in paths for path in _samples_of(results))
        samples = [_Samples.of(path) for path in sorted(named or set(beside))]
        if not samples:
            raise InputError(
                f"a log must hold samples; got {paths[0].name}, which has averages alone. Run "
                "lm_eval with --log_samples, and name the files samples_*.jsonl."
            )
        left_out: dict[str, str] = {}
        lines = [line for file in samples for line in _lines(file, left_out)]
        return join_answers(_named(lines), left_out=left_out)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a file of samples."""

    task: str
    filter: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class _Samples:
    """A file of samples: whose answers to which task."""

    path: Path
    service: str
    task: str
    run: str

    @classmethod
    def of(cls, path: Path) -> _Samples:
        named = _NAMES.fullmatch(path.name.removesuffix(".gz"))
        task = named["task"] if named else path.stem
        date = (named["date"] if named else None) or ""
        return cls(path, _model(path.parent, date), task, date or path.parent.name)


def _samples_of(results: Path) -> list[Path]:
    """Return the files of samples that were written with a file of results."""
    date = results.stem.removeprefix("results").removeprefix("_")
    beside = results.parent.glob(f"samples_*{escape(date)}.jsonl*")
    return [path for path in beside if LmEvalLogs().reads(path)]


def _lines(file: _Samples, left_out: MutableMapping[str, str]) -> Iterator[_Line]:
    """Yield the lines of a file."""
    ids: dict[str, dict[Any, int]] = {}
    for line in json_lines(file.path, "samples of lm-evaluation-harness", left_out):
        item = _item(line, ids)
        if item is None:
            left_out[f"{file.path.name}: lines without a document"] = "nothing to join them by"
            continue
        said, target = said_of(line)
        texts = {"question": question_of(line), "choices": choices_of(line)}
        answer = Answer(
            file.service,
            item,
            said,
            _scores(line, left_out),
            target=target,
            texts=texts,
            facts={"task": file.task, **_facts(line.get("doc"), texts)},
            run=file.run,
        )
        yield _Line(file.task, words(line.get("filter")) or _NO_FILTER, answer)


def _named(lines: Sequence[_Line]) -> Iterator[Answer]:
    """Yield the answers, with the task and the filter in names where there are several of them."""
    filters: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        filters[line.task].add(line.filter)
    for line in lines:
        answer = line.answer
        if len(filters) > 1:
            answer = replace(answer, item=f"{line.task}/{answer.item}")
        if line.filter != _NO_FILTER and len(filters[line.task]) > 1:
            scores = {f"{metric},{line.filter}": x for metric, x in answer.scores.items()}
            answer = replace(answer, scores=scores)
        yield answer


def _facts(doc: Any, texts: Mapping[str, str | None]) -> Mapping[str, Any]:
    """Return what a document says beside what is shown of it."""
    if not isinstance(doc, dict):
        return {"doc": doc}
    question = texts["question"]
    return {
        name: value
        for name, value in doc.items()
        if value is not question and not (name == "choices" and texts["choices"])
    }


def _item(line: Mapping[str, Any], ids: dict[str, dict[Any, int]]) -> str | None:
    """Return what identifies a document: its hash, numbered where a task has it several times.

    A document that is in a data set twice has one hash and two numbers; it stays two items.
    """
    number = line.get("doc_id")
    number = number if isinstance(number, str | int) else None
    name = words(line.get("doc_hash"))
    if name is None and line.get("doc") is not None:
        name = _own_hash(line["doc"])
    if name is None:
        return None if number is None else str(number)
    numbers = ids.setdefault(name, {})
    place = numbers.setdefault(number, len(numbers) + 1)
    return name if place == 1 else f"{name}.{place}"


def _own_hash(doc: Any) -> str:
    """Return the hash that later versions write, so that logs of earlier ones join with theirs."""
    whole = json.dumps(doc, indent=2, ensure_ascii=False)
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()


def _scores(
    line: Mapping[str, Any], left_out: MutableMapping[str, str]
) -> dict[str, float | None]:
    """Return the metrics that a line names, or else all numbers that are no known field."""
    named = [name for name in elements(line.get("metrics")) if isinstance(name, str)]
    names = named or [name for name in line if name not in _FIELDS]
    scores: dict[str, float | None] = {}
    for name in names:
        value = line.get(name)
        if isinstance(value, list | dict):
            left_out.setdefault(f"score {name}", "several values per document")
        elif isinstance(value, bool | int | float) or (value is None and named):
            scores[name] = figure(value)
    return scores


def _model(folder: Path, date: str) -> str:
    """Return the name of the model: of the results of the same date, or else of the folder."""
    results = sorted(folder.glob("results*.json"))
    exact = [path for path in results if date and date in path.name]
    names = {name for path in exact or results if (name := _model_in(path))}
    if len(names) == 1:
        return names.pop()
    return folder.resolve().name.replace("__", "/", 1) or "model"


def _model_in(path: Path) -> str | None:
    """Return the model that a file of results names."""
    with suppress(InputError, OSError):
        content = entries(read_json(path, "results of lm-evaluation-harness"))
        if name := words(content.get("model_name")):
            return name
        config = entries(content.get("config"))
        arguments = config.get("model_args")
        if isinstance(arguments, dict):
            found = arguments.get("pretrained") or arguments.get("model")
            return words(found)
        named = _MODEL_ARGUMENT.search(arguments) if isinstance(arguments, str) else None
        return named[1] if named else words(config.get("model"))
    return None
