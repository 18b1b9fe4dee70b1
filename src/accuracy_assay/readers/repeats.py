"""Answers to one item more than once in a run: each repeat gets a number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from accuracy_assay.readers.answer import Answer

__all__ = ["numbered"]


def numbered(answers: Iterable[Answer], *, has_line_per_metric: bool = False) -> list[Answer]:
    """Return answers with an epoch each, if any run answers an item more than once.

    Parameters
    ----------
    answers
        All answers of the files, in the order in which they were given.
    has_line_per_metric
        Whether answers with other metrics are the same answer.

    Examples
    --------
    >>> said = [Answer("m", "q", "4"), Answer("m", "q", "4"), Answer("m", "q2", "7")]
    >>> [answer.epoch for answer in numbered(said)], numbered(said[1:])[0].epoch
    ([0, 1, 0], None)
    """
    listed = list(answers)
    seen: dict[Hashable, int] = {}
    epochs = []
    for answer in listed:
        names = (tuple(answer.scores), tuple(answer.judges)) if has_line_per_metric else ()
        key = (answer.run, answer.service, answer.item, names)
        epochs.append(seen.get(key, 0))
        seen[key] = epochs[-1] + 1
    if not any(epochs):
        return listed
    return [replace(answer, epoch=epoch) for answer, epoch in zip(listed, epochs, strict=True)]
