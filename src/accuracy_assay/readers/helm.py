"""HELM run folders: ``run_spec.json``, ``scenario_state.json`` and ``per_instance_stats.json``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.joined import joined
from accuracy_assay.readers.json_files import note, read_json
from accuracy_assay.readers.untrusted import count, digest, elements, entries, figure, shown, words

__all__ = ["HelmRuns"]

_SPEC, _STATE, _STATS = "run_spec.json", "scenario_state.json", "per_instance_stats.json"
_BOOKKEEPING = re.compile(
    r"num_|batch_size|finish_reason|prompt_truncated|max_prob|logprob|perplexity|bits_per_byte"
    r"|training_|inference_|estimated_"
)
"""What HELM counts for every run, whatever its quality: tokens, times, probabilities."""
_LESS_IS_BETTER = re.compile(r"toxic|bias|_error|edit_distance|(^|_)[wc]er$")
_RUNS_CODE = re.compile(r"compiler|bigcodebench|sql", re.IGNORECASE)
"""Annotators that run an answer; all others ask a model about it."""
_PLAIN = ("name", "robustness", "fairness", "computed_on")
"""What every perturbation says about itself; anything else is one of its settings."""
_NONE, _TEST = "none", "test"

Key = tuple[str, str, int]
"""An instance, its perturbation and its trial."""


@dataclass(frozen=True, slots=True)
class HelmRuns:
    """Reads HELM run folders, one service each; runs of one scenario join by instance."""

    def reads(self, path: Path) -> bool:
        """Return whether a folder is a run."""
        with suppress(OSError, ValueError):
            parts = (path / _STATE, path / _STATS)
            return (path / _SPEC).is_file() and any(part.is_file() for part in parts)
        return False

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some runs.

        Raises
        ------
        InputError
            If a file of a run is damaged, or no run has an instance.
        """
        left_out: dict[str, str] = {}
        runs: list[dict[Key, Answer]] = []
        others: Counter[str] = Counter()
        for path in sorted(paths):
            run, other = _reported(_read(path, left_out))
            runs.append(run)
            others += other
        for split, number in others.items():
            note(left_out, f"the split {split}", number, "instances; HELM reports the test split")
        return joined(_repeats(runs), paths, "instances of a HELM run", left_out)


def _repeats(runs: Sequence[Mapping[Key, Answer]]) -> Iterator[Answer]:
    """Yield the answers of all runs; versions and trials of an instance are its epochs."""
    versions = sorted({key[1:] for run in runs for key in run})
    is_perturbed = any(perturbation for perturbation, _ in versions)
    for run in runs:
        for (_, perturbation, trial), answer in run.items():
            number = versions.index((perturbation, trial)) if len(versions) > 1 else None
            more = {"perturbation": perturbation or _NONE} if is_perturbed else {}
            yield replace(answer, epoch=number, facts={**answer.facts, **more})


def _read(folder: Path, left_out: MutableMapping[str, str]) -> dict[Key, Answer]:
    """Return the answers of one run."""
    spec = entries(read_json(folder / _SPEC, "the description of a HELM run"))
    with refusing_damage("a HELM run", str(folder / _STATE), "a log"):
        answers = _answers(spec, _list(folder / _STATE, "request_states", left_out), left_out)
    with refusing_damage("a HELM run", str(folder / _STATS), "a log"):
        stats = _list(folder / _STATS, None, left_out)
        kinds = _metric_kinds(spec)
        for entry in map(entries, stats):
            key = _key(entry.get("instance_id"), entry.get("perturbation"), entry)
            if key is None:
                continue
            answer = answers.get(key) or Answer(
                _model(spec), _item(spec, key[0], None), facts=_split(entry), run=_name(spec)
            )
            scores, judges = _metrics(elements(entry.get("stats")), kinds, left_out)
            answers[key] = replace(answer, scores=scores, judges=judges)
    return answers


def _reported(answers: dict[Key, Answer]) -> tuple[dict[Key, Answer], Counter[str]]:
    """Return the answers that count in HELM's own figure, and how many others a split has.

    They are those of the test split, if there is one.
    """
    splits = Counter(str(answer.facts.get("split", _TEST)) for answer in answers.values())
    if splits.pop(_TEST, 0) == 0:
        return answers, Counter()
    return {k: a for k, a in answers.items() if a.facts.get("split", _TEST) == _TEST}, splits


def _split(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the split of an instance, of which only its statistics are there."""
    names = (entries(entries(stat).get("name")) for stat in elements(entry.get("stats")))
    return next(({"split": name["split"]} for name in names if words(name.get("split"))), {})


def _list(path: Path, name: str | None, left_out: MutableMapping[str, str]) -> list[Any]:
    """Return the list in a file of a run, or nothing if the file is not there."""
    if not path.is_file():
        left_out[f"{path.parent.name}/{path.name}"] = "no such file"
        return []
    value = read_json(path, "a part of a HELM run")
    found = value if name is None else entries(value).get(name)
    if not isinstance(found, list):
        raise ValueError("it holds no list of instances")
    return found


def _answers(
    spec: Mapping[str, Any], states: list[Any], left_out: MutableMapping[str, str]
) -> dict[Key, Answer]:
    """Return what was asked and answered, without scores."""
    originals = _originals(states)
    answers: dict[Key, Answer] = {}
    n_separate = 0
    for state in map(entries, states):
        instance = entries(state.get("instance"))
        key = _key(instance.get("id"), instance.get("perturbation"), state)
        if key is None or key in answers:
            continue
        is_separate = state.get("reference_index") is not None
        n_separate += is_separate
        answers[key] = Answer(
            _model(spec),
            _item(spec, key[0], originals.get(key[0])),
            None if is_separate else _said(state),
            target=_target(instance),
            texts={"input": _text(instance.get("input")), "choices": _choices(instance)},
            facts=_facts(spec, instance),
            run=_name(spec),
        )
    if n_separate:
        note(left_out, f"answers of {_name(spec)}", n_separate, "choices scored one by one")
    return answers


def _originals(states: list[Any]) -> dict[str, str | None]:
    """Return the text of each instance before any perturbation, by its id."""
    instances = (entries(entries(state).get("instance")) for state in states)
    return {
        str(instance.get("id")): _text(instance.get("input"))
        for instance in instances
        if not instance.get("perturbation")
    }


def _item(spec: Mapping[str, Any], instance: str, text: str | None) -> str:
    """Return what identifies an instance: ids begin anew in every scenario."""
    return f"{instance}:{digest(entries(spec.get('scenario_spec')), text)[:8]}"


def _key(instance: Any, perturbation: Any, entry: Mapping[str, Any]) -> Key | None:
    """Return which instance, which version and which trial something is about."""
    if words(instance) is None:
        return None
    return str(instance), _label(entries(perturbation)), count(entry.get("train_trial_index")) or 0


def _label(perturbation: Mapping[str, Any]) -> str:
    """Return the name of a perturbation with its settings."""
    name = words(perturbation.get("name")) or ""
    settings = {key: shown(value) for key, value in perturbation.items() if key not in _PLAIN}
    listed = ", ".join(f"{key}={value}" for key, value in sorted(settings.items()))
    return f"{name} ({listed})" if name and listed else name


def _model(spec: Mapping[str, Any]) -> str:
    adapter = entries(spec.get("adapter_spec"))
    return words(adapter.get("model")) or words(adapter.get("model_deployment")) or "model"


def _name(spec: Mapping[str, Any]) -> str:
    return words(spec.get("name")) or "run"


def _text(content: Any) -> str | None:
    """Return the text of an input or an output, which older versions hold without an object."""
    return words(content) or words(entries(content).get("text"))


def _said(state: Mapping[str, Any]) -> str | None:
    """Return the first completion, as the choice that it stands for if there are choices."""
    completions = elements(entries(state.get("result")).get("completions"))
    text = words(entries(completions[0]).get("text")) if completions else None
    if text is None:
        return None
    return words(entries(state.get("output_mapping")).get(text.strip())) or text.strip()


def _references(instance: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the reference outputs, and whether each is correct."""
    for reference in map(entries, elements(instance.get("references"))):
        text = _text(reference.get("output"))
        if text is not None:
            yield text, "correct" in elements(reference.get("tags"))


def _target(instance: Mapping[str, Any]) -> str | None:
    correct = [text for text, is_correct in _references(instance) if is_correct]
    return " | ".join(correct) or None


def _choices(instance: Mapping[str, Any]) -> str | None:
    """Return all references, one per line, if some of them are wrong."""
    references = list(_references(instance))
    if all(is_correct for _, is_correct in references):
        return None
    return "\n".join(text for text, _ in references)


def _facts(spec: Mapping[str, Any], instance: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the run and the instance say about the item."""
    arguments = entries(entries(spec.get("scenario_spec")).get("args"))
    more = {name: instance.get(name) for name in ("split", "sub_split", "extra_data")}
    known = {name: value for name, value in more.items() if value is not None}
    return {"task": _name(spec).partition(":")[0], **arguments, **known}


def _metric_kinds(spec: Mapping[str, Any]) -> tuple[list[str], bool]:
    """Return the metrics that the run declares, and whether a model judged the answers."""
    declared = [
        name
        for metric in map(entries, elements(spec.get("metric_specs")))
        for name in elements(entries(metric.get("args")).get("names"))
        if words(name)
    ]
    annotators = (
        words(entries(annotator).get("class_name")) or ""
        for annotator in elements(spec.get("annotators"))
    )
    return declared, any(not _RUNS_CODE.search(name) for name in annotators)


def _metrics(
    stats: list[Any], kinds: tuple[list[str], bool], left_out: MutableMapping[str, str]
) -> tuple[dict[str, float | None], dict[str, float | str | None]]:
    """Return the scores of one answer, those that the run declares first, and its judges."""
    declared, is_judged = kinds
    scores: dict[str, float | None] = dict.fromkeys(declared)
    judges: dict[str, float | str | None] = {}
    for stat in map(entries, stats):
        name = words(entries(stat.get("name")).get("name"))
        if name is None:
            continue
        if _BOOKKEEPING.match(name):
            left_out["counts, times and probabilities"] = "HELM's own, no scores"
            continue
        if _LESS_IS_BETTER.search(name):
            left_out[f"score {name}"] = "less of it is better"
            continue
        of_judge = is_judged and name.partition("@")[0] not in declared
        (judges if of_judge else scores)[name] = _mean(stat)
    return scores, judges


def _mean(stat: Mapping[str, Any]) -> float | None:
    """Return the average of a statistic, which is one number for an instance."""
    mean = figure(stat.get("mean"))
    total, number = figure(stat.get("sum")), figure(stat.get("count"))
    if mean is not None or total is None or not number:
        return mean
    return total / number
