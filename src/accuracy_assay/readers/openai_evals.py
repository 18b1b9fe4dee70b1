"""OpenAI evals: JSON lines with the ``spec`` of a run, its events and its ``final_report``."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.joined import joined
from accuracy_assay.readers.json_files import json_lines, note, opening
from accuracy_assay.readers.repeats import numbered
from accuracy_assay.readers.untrusted import chat, elements, entries, figure, shown, words

__all__ = ["OpenAIEvals"]

_SPEC = re.compile(r'\{\s*"spec"\s*:\s*\{')
_SPEC_KEYS = re.compile(r'"(completion_fns|model_name|eval_name|base_eval|run_id)"\s*:')
_GRADED = "choice"
"""Model-graded evals record the letter that the grading model chose by this name."""
_USED = ("match", "metrics", "sampling", "raw_sample")


@dataclass(frozen=True, slots=True)
class OpenAIEvals:
    """Reads the logs of ``oaieval``, one run each; runs of one eval join by sample."""

    def reads(self, path: Path) -> bool:
        """Return whether a file begins with the spec of a run."""
        text = opening(path, (".jsonl",))
        return bool(_SPEC.match(text) and _SPEC_KEYS.search(text))

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some runs, one per sample.

        Raises
        ------
        InputError
            If a file is damaged, or no run has a sample.
        """
        left_out: dict[str, str] = {}
        files: list[list[Answer]] = []
        for path in sorted(paths):
            lines = json_lines(path, "a log of OpenAI evals", left_out)
            with refusing_damage("a log of OpenAI evals", str(path), "a log"):
                runs = _runs(lines, left_out)
                files.append([answer for run in runs for answer in _answers(run)])
        return joined(numbered(files), paths, "events of OpenAI evals", left_out)


@dataclass(slots=True)
class _Run:
    """A spec, and the events of each sample by their types."""

    spec: Mapping[str, Any] = field(default_factory=dict)
    samples: dict[str, dict[str, list[Mapping[str, Any]]]] = field(default_factory=dict)


def _runs(lines: Sequence[Mapping[str, Any]], left_out: MutableMapping[str, str]) -> list[_Run]:
    """Return the runs of a file: one, unless files were put together."""
    runs: dict[str, _Run] = {}
    unused: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    latest = ""
    for line in lines:
        if "spec" in line:
            latest = str(entries(line["spec"]).get("run_id"))
            runs.setdefault(latest, _Run()).spec = entries(line["spec"])
            continue
        sample, kind = shown(line.get("sample_id")), words(line.get("type"))
        if sample is None or kind is None:
            continue
        run, event = str(line.get("run_id", latest)), shown(line.get("event_id"))
        if event is not None and (run, event) in seen:
            continue
        seen.add((run, event or ""))
        if kind not in _USED:
            unused[kind] += 1
            continue
        samples = runs.setdefault(run, _Run()).samples
        samples.setdefault(sample, defaultdict(list))[kind].append(entries(line.get("data")))
    for kind, number in unused.items():
        note(left_out, f"{kind} events", number, "events that say nothing about an answer")
    return list(runs.values())


def _answers(run: _Run) -> Iterator[Answer]:
    """Yield an answer per sample, or as many as it has matches."""
    name = words(run.spec.get("eval_name")) or words(run.spec.get("base_eval")) or ""
    for sample, events in run.samples.items():
        scores, judges = _metrics(events.get("metrics", []))
        sampling = (events.get("sampling") or [{}])[0]  # a grading model samples after it
        raw = (events.get("raw_sample") or [{}])[0]
        for match in events.get("match") or [{}]:
            said = match.get("picked")
            if not said:
                said = match.get("sampled") or sampling.get("sampled")
            own = {"match": figure(match["correct"])} if "correct" in match else {}
            yield Answer(
                _service(run.spec),
                f"{name}/{sample}" if name else sample,
                shown(said),
                {**own, **_others(match), **scores},
                judges,
                target=_target(match.get("expected", raw.get("ideal"))),
                texts={"prompt": chat(match.get("prompt") or sampling.get("prompt"))},
                facts=_facts(run.spec, raw),
                run=words(run.spec.get("run_id")),
            )


def _service(spec: Mapping[str, Any]) -> str:
    functions = [text for text in map(words, elements(spec.get("completion_fns"))) if text]
    return ", ".join(functions) or words(spec.get("model_name")) or "model"


def _others(match: Mapping[str, Any]) -> dict[str, float | None]:
    """Return further scores of a match, such as its F1."""
    names = ("accuracy", "f1_score", "score")
    return {name: figure(match[name]) for name in names if figure(match.get(name)) is not None}


def _metrics(
    events: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, float | None], dict[str, float | str | None]]:
    """Return the scores and the verdicts of a grading model; the last event counts."""
    scores: dict[str, float | None] = {}
    judges: dict[str, float | str | None] = {}
    for event in events:
        is_graded = isinstance(event.get(_GRADED), str)
        for name, value in event.items():
            number = figure(value)
            of_judge = is_graded and not name.endswith("_metascore")  # that compares with people
            if of_judge or (number is None and isinstance(value, str)):
                judges[name] = number if number is not None else words(value)
            elif number is not None:
                scores[name] = number
    return scores, judges


def _target(expected: Any) -> str | None:
    if isinstance(expected, list):
        return " | ".join(text for text in map(shown, expected) if text) or None
    return shown(expected)


def _facts(spec: Mapping[str, Any], raw: Mapping[str, Any]) -> dict[str, Any]:
    more = {name: value for name, value in raw.items() if name not in ("input", "ideal")}
    return {"task": spec.get("base_eval"), "split": spec.get("split"), **more}
