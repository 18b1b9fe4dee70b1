"""A sample of an Inspect log: one question in one epoch, the answer, and its scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from accuracy_assay.readers.untrusted import chat, count, elements, entries, figure, shown, words

__all__ = ["Sample", "read_sample"]

_GRADES = {
    "c": 1.0,
    "i": 0.0,
    "p": 0.5,
    "n": 0.0,
    "yes": 1.0,
    "true": 1.0,
    "no": 0.0,
    "false": 0.0,
}
"""What Inspect makes of a grade: correct, incorrect, partial, no answer."""
_ATTACHED = "attachment://"
_ONLY_SCORE = "score"
"""The name of the score in logs of the first version, which have one per sample."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What is used of a sample; scores are by scorer and metric."""

    id: str
    epoch: int | None
    question: str | None
    choices: str | None
    target: str | None
    completion: str | None
    answers: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float | None]]
    unread: tuple[str, ...]
    graded: tuple[str, ...]
    metadata: Mapping[str, Any]
    has_failed: bool

    def said(self, judges: Collection[str]) -> str | None:
        """Return the answer as a scorer found it in the text, or else the whole text."""
        for scorer, answer in self.answers.items():
            if scorer not in judges:
                return answer
        return self.completion


def read_sample(value: Any) -> Sample | None:
    """Return what is used of a sample, None if it says not even which one it is.

    Examples
    --------
    >>> scores = {"match": {"value": "P", "answer": "four"}}
    >>> found = read_sample({"id": 1, "epoch": 1, "input": "2 + 2?", "scores": scores})
    >>> found.scores, found.said(())
    ({'match': {'match': 0.5}}, 'four')
    """
    sample = entries(value)
    name = sample.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int):
        return None
    scores = entries(sample.get("scores"))
    if not scores and isinstance(sample.get("score"), dict):
        scores = {_ONLY_SCORE: sample["score"]}
    found = {scorer: _values(scorer, entries(score)) for scorer, score in scores.items()}
    texts = _Attachments(entries(sample.get("attachments")))
    return Sample(
        id=str(name),
        epoch=count(sample.get("epoch")),
        question=texts.whole(chat(sample.get("input"))),
        choices=_choices(sample.get("choices")),
        target=texts.whole(_target(sample.get("target"))),
        completion=texts.whole(_completion(entries(sample.get("output")))),
        answers=_answers(scores),
        scores={scorer: values for scorer, values in found.items() if values},
        unread=tuple(scorer for scorer, values in found.items() if not values),
        graded=tuple(s for s, score in scores.items() if _is_graded(entries(score))),
        metadata=entries(sample.get("metadata")),
        has_failed=bool(sample.get("error")) and not scores,
    )


@dataclass(frozen=True, slots=True)
class _Attachments:
    """Long texts that stand apart."""

    texts: Mapping[str, Any]

    def whole(self, text: str | None) -> str | None:
        if text is None or not text.startswith(_ATTACHED):
            return text
        return words(self.texts.get(text.removeprefix(_ATTACHED)))


def _values(scorer: str, score: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the metrics of one score; several where its value is an object."""
    value = score.get("value")
    parts = (
        {f"{scorer}.{key}": part for key, part in value.items()}
        if isinstance(value, dict)
        else {scorer: value}
    )
    return {name: _number(part) for name, part in parts.items() if _is_read(part)}


def _is_read(value: Any) -> bool:
    """Return whether a value is a figure, or says that there is none (NaN, null)."""
    return value is None or isinstance(value, float) or _number(value) is not None


def _number(value: Any) -> float | None:
    """Return a grade, a word or a number as a figure."""
    if not isinstance(value, str):
        return figure(value)
    word = value.strip().lower()
    if word in _GRADES:
        return _GRADES[word]
    try:
        return figure(float(word))
    except ValueError:
        return None


def _is_graded(score: Mapping[str, Any]) -> bool:
    """Return whether a score comes with what a model was asked to grade it."""
    return "grading" in entries(score.get("metadata"))


def _answers(scores: Mapping[str, Any]) -> dict[str, str]:
    found = {scorer: entries(score).get("answer") for scorer, score in scores.items()}
    return {scorer: answer for scorer, answer in found.items() if isinstance(answer, str)}


def _target(value: Any) -> str | None:
    """Return the truth; several that all count are one text."""
    several = [text for part in elements(value) if (text := shown(part)) is not None]
    return "; ".join(several) if len(several) > 1 else shown(value)


def _choices(value: Any) -> str | None:
    return "\n".join(text for part in elements(value) if (text := shown(part))) or None


def _completion(output: Mapping[str, Any]) -> str | None:
    """Return the text that the model wrote."""
    if (text := output.get("completion")) is not None:
        return shown(text)
    for choice in map(entries, elements(output.get("choices"))):
        return chat([entries(choice.get("message"))])
    return None
