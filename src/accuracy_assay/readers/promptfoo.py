"""promptfoo: the JSON that ``promptfoo eval -o`` writes, versions 2 and 3, or its JSON lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, MutableMapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.copies import without_copies
from accuracy_assay.readers.joined import joined
from accuracy_assay.readers.json_files import json_lines, member_names, note, opening, read_json
from accuracy_assay.readers.repeats import numbered
from accuracy_assay.readers.untrusted import (
    chat,
    count,
    digest,
    elements,
    entries,
    figure,
    shown,
    words,
)

__all__ = ["Promptfoo"]

_DOCUMENT = re.compile(
    r'\{.*"results"\s*:\s*\{\s*"version"\s*:\s*\d\s*,\s*"timestamp"\s*:'
    r'|\{\s*"version"\s*:\s*\d\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"(results|prompts)"\s*:',
    re.DOTALL,
)
_MEMBERS = ("config", "evalId", "results")
"""What a document may begin with."""
_LINE_KEYS = ("promptIdx", "testIdx", "gradingResult", "latencyMs", "namedScores", "testCase")
_PASS = "pass"
_GRADED = re.compile(
    r"(not-)?(llm-rubric|search-rubric|model-graded-.*|factuality|g-eval|answer-relevance"
    r"|context-.*|conversation-relevance|pi|select-best|moderation|classifier|guardrails"
    r"|trajectory:goal-success|promptfoo:redteam:.*)"
)
"""Assertions that a model decides; promptfoo calls most of them model-graded."""
_REFERENCE = re.compile(
    r"equals|similar(:.*)?|levenshtein|rouge-n|bleu|(model-graded-)?factuality"
)
"""Assertions whose value is the answer that was expected."""
_LONG = 60
"""Characters; a longer variable is a text to read rather than a fact."""
_LONGEST_LABEL = 40
_DEEPEST = 6
_FAILED_TO_RUN = 2

Prompt = tuple[int, str]
"""The number of a prompt and its label; files of version 2 may have no number."""


@dataclass(frozen=True, slots=True)
class Promptfoo:
    """Reads results of promptfoo: providers are services, tests are items."""

    def reads(self, path: Path) -> bool:
        """Return whether a file holds results of promptfoo."""
        begins = opening(path, (".json",))
        if _DOCUMENT.match(begins):
            return True
        if begins.startswith("{") and any(f'"{key}"' in begins for key in _MEMBERS):
            return _is_document(member_names(path, (".json",)))
        text = opening(path, (".jsonl",))
        named = sum(f'"{key}":' in text.replace('" :', '":') for key in _LINE_KEYS)
        return text.startswith("{") and named >= len(_LINE_KEYS) // 2

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some files, one per test.

        Raises
        ------
        InputError
            If a file is damaged, or none holds a result.
        """
        left_out: dict[str, str] = {}
        files: list[list[Answer]] = []
        for path in sorted(paths):
            run, results = _results(path, left_out)
            with refusing_damage("results of promptfoo", str(path), "a log"):
                files.append(list(_answers(run, results)))
                _explain(results, left_out)
        answers = numbered(files)
        metrics = {name for answer in answers for name in answer.scores} - {_PASS}
        answers = without_copies(answers, dict.fromkeys(metrics, _PASS))
        return joined(answers, paths, "results of promptfoo", left_out)


def _is_document(names: Set[str]) -> bool:
    """Return whether an object has the members of a document, in whatever order they come."""
    if "results.results" in names:
        return names >= {"results.version", "results.timestamp"} or bool(
            "results.prompts" in names and names & {"config", "evalId"}
        )
    # A config may be longer than what was looked at.
    return "config.providers" in names and bool(names & {"config.prompts", "config.tests"})


def _results(
    path: Path, left_out: MutableMapping[str, str]
) -> tuple[str, list[Mapping[str, Any]]]:
    """Return the name of an evaluation and its results, in the order of tests."""
    what = "results of promptfoo"
    if path.name.lower().removesuffix(".gz").endswith(".jsonl"):
        run, found = path.name, json_lines(path, what, left_out)
    else:
        document = entries(read_json(path, what))
        summary = entries(document.get("results")) or document
        run = words(document.get("evalId")) or path.name
        found = elements(summary.get("results"))
    results = [entries(result) for result in found if entries(result)]
    return run, sorted(results, key=lambda result: count(result.get("testIdx")) or 0)


def _answers(run: str, results: Sequence[Mapping[str, Any]]) -> Iterator[Answer]:
    """Yield the answers of one evaluation."""
    services, texts = _services(results), _text_variables(results)
    for result in results:
        case = entries(result.get("testCase"))
        variables = _variables(result)
        scores, judges = _metrics(result)
        yield Answer(
            services[_asked(result)],
            _item(result, case, variables),
            shown(entries(result.get("response")).get("output")),
            scores,
            judges,
            target=_target(case),
            texts={name: chat(variables.get(name)) for name in texts} or _prompt(result),
            facts={
                "description": case.get("description"),
                **{name: value for name, value in variables.items() if name not in texts},
                **entries(case.get("metadata")),
            },
            run=run,
        )


def _variables(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the variables of a test, as they were before it ran if the file says so."""
    before = entries(entries(result.get("testCase")).get("vars"))
    return before or entries(result.get("vars"))


def _item(result: Mapping[str, Any], case: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    """Return what identifies a test in every evaluation: variables and assertions."""
    if not variables:
        return f"test {count(result.get('testIdx')) or 0}"
    kept = [
        {name: entries(part).get(name) for name in ("type", "value", "metric")}
        for part in elements(case.get("assert"))
    ]
    return digest(variables, kept)


def _asked(result: Mapping[str, Any]) -> tuple[str, Prompt]:
    """Return the provider and the prompt that it was given."""
    provider = result.get("provider")
    named = entries(provider)
    name = words(named.get("label")) or words(named.get("id")) or words(provider)
    label = words(entries(result.get("prompt")).get("label")) or ""
    return name or "provider", (count(result.get("promptIdx")) or 0, " ".join(label.split()))


def _services(results: Sequence[Mapping[str, Any]]) -> dict[tuple[str, Prompt], str]:
    """Return the name of each provider, with that of the prompt if it was given several."""
    prompts: dict[str, dict[Prompt, None]] = defaultdict(dict)
    for result in results:
        provider, prompt = _asked(result)
        prompts[provider][prompt] = None
    names = {}
    for provider, given in prompts.items():
        labels = [label[:_LONGEST_LABEL] for _, label in given]
        is_clear = all(labels) and len(set(labels)) == len(labels)
        for number, (prompt, label) in enumerate(zip(given, labels, strict=True)):
            told = label if is_clear else f"prompt {number}"
            names[provider, prompt] = provider if len(given) == 1 else f"{provider}, {told}"
    return names


def _text_variables(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the variables that people would read: some value of each is long."""
    found: dict[str, None] = {}
    for result in results:
        for name, value in _variables(result).items():
            text = chat(value) if isinstance(value, str | list) else ""
            if len(text or "") > _LONG or "\n" in (text or ""):
                found[name] = None
    return list(found)


def _prompt(result: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the prompt as it was sent, where no variable is a text."""
    return {"prompt": chat(entries(result.get("prompt")).get("raw"))}


def _metrics(
    result: Mapping[str, Any],
) -> tuple[dict[str, float | None], dict[str, float | str | None]]:
    """Return the verdict, the score, and what each kind of assertion says on average.

    ``namedScores`` has the metrics of assertions too, summed up; only those of scripts, which
    return several, are nowhere else.
    """
    scores: dict[str, list[float]] = defaultdict(list)
    judges: dict[str, list[float]] = defaultdict(list)
    for part in _components(entries(result.get("gradingResult")), 0):
        assertion = entries(part.get("assertion"))
        kind = words(assertion.get("type")) or "assertion"
        value = figure(part.get("score", part.get("pass")))
        if value is not None:
            of = judges if _is_graded(kind) else scores
            of[words(assertion.get("metric")) or kind].append(value)
    whole = {_PASS: figure(result.get("success")), "score": figure(result.get("score"))}
    averages = {name: sum(values) / len(values) for name, values in scores.items()}
    opinions = {name: sum(values) / len(values) for name, values in judges.items()}
    for name, value in entries(result.get("namedScores")).items():
        if name not in averages and name not in opinions and figure(value) is not None:
            (opinions if _is_graded(name) else averages)[name] = figure(value) or 0.0
    return (
        {**whole, **{name: value for name, value in averages.items() if name not in whole}},
        dict(opinions),
    )


def _components(grading: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the results of single assertions; sets of assertions nest."""
    for part in map(entries, elements(grading.get("componentResults"))):
        if elements(part.get("componentResults")) and depth < _DEEPEST:
            yield from _components(part, depth + 1)
        elif part:
            yield part


def _target(case: Mapping[str, Any]) -> str | None:
    """Return the answer that was expected, if an assertion holds it; equality says it best."""
    values = {
        str(part.get("type")): part.get("value")
        for part in map(entries, reversed(elements(case.get("assert"))))
        if _REFERENCE.fullmatch(str(part.get("type"))) and words(part.get("value"))
    }
    return values.get("equals", next(iter(values.values()), None))


def _explain(results: Sequence[Mapping[str, Any]], left_out: MutableMapping[str, str]) -> None:
    """Say how many answers are missing, and whether anything but a model decided."""
    n_failed = sum(result.get("failureReason") == _FAILED_TO_RUN for result in results)
    if n_failed:
        note(left_out, "answers of providers that failed", n_failed, "results; they did not pass")
    graded = [kinds for kinds in map(_kinds, results) if kinds and all(map(_is_graded, kinds))]
    if graded:
        told = ", ".join(sorted({kind for kinds in graded for kind in kinds}))
        share = f"{len(graded):,} of {len(results):,} results"
        left_out["truth"] = f"{_PASS} is the verdict of {told} alone in {share}"


def _kinds(result: Mapping[str, Any]) -> set[str]:
    """Return the types of the assertions that decided a result."""
    parts = _components(entries(result.get("gradingResult")), 0)
    return {str(entries(part.get("assertion")).get("type")) for part in parts}


def _is_graded(kind: str) -> bool:
    return _GRADED.fullmatch(kind) is not None
