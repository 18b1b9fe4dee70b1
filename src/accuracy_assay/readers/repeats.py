"""Answers to one item more than once in a run: repeats get numbers, copies of a line do not."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.untrusted import digest

__all__ = ["numbered"]


def numbered(answers: Iterable[Answer]) -> list[Answer]:
    """Return the answers of one run with an epoch each, if any item is answered more than once.

    Answers with other metrics are about another aspect of the same epoch.

    Examples
    --------
    >>> first, second = Answer("m", "q", "4", {"exact": 1.0}), Answer("m", "q", "5", {"exact": 0.0})
    >>> [answer.epoch for answer in numbered([first, second, first])]
    [0, 1]
    """
    listed = list({_content(answer): answer for answer in answers}.values())
    seen: dict[Hashable, int] = {}
    epochs = []
    for answer in listed:
        names = (tuple(answer.scores), tuple(answer.judges))
        key = (answer.run, answer.service, answer.item, names)
        epochs.append(seen.get(key, 0))
        seen[key] = epochs[-1] + 1
    if not any(epochs):
        return listed
    return [replace(answer, epoch=epoch) for answer, epoch in zip(listed, epochs, strict=True)]


def _content(answer: Answer) -> str:
    """Return what two copies of one answer have in common."""
    said = (answer.run, answer.service, answer.item, answer.said, answer.target)
    return digest(*said, dict(answer.scores), dict(answer.judges), dict(answer.facts))
