"""Runs of one service that contradict each other become services of their own."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from accuracy_assay.readers.answer import Answer

__all__ = ["is_empty", "is_same", "with_runs"]


def with_runs(answers: list[Answer]) -> list[Answer]:
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
    if one.annotator != other.annotator or is_empty(one) or is_empty(other):
        return False
    shared = one.scores.keys() & other.scores.keys()
    is_comparable = bool(shared) or not (one.scores or other.scores)
    return is_comparable and (
        one.said != other.said
        or any(not _same(one.scores[metric], other.scores[metric]) for metric in shared)
    )


def is_same(one: Answer, other: Answer) -> bool:
    """Return whether two answers of one kind are the same one."""
    return (
        one.said == other.said
        and all(_same(value, other.scores[name]) for name, value in one.scores.items())
        and one.judges == other.judges
    )


def is_empty(answer: Answer) -> bool:
    """Return whether nothing is known of an answer, as after an error that was tried again."""
    return (
        answer.said is None
        and not answer.judges
        and not any(value is not None for value in answer.scores.values())
    )


def _same(one: float | None, other: float | None) -> bool:
    """Return whether two scores are equal; NaN equals itself."""
    return one == other or (one != one and other != other)
