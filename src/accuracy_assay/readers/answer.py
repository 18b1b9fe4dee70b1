"""What one service answered to one item of a log: all that a reader of a format has to find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer.

    Parameters
    ----------
    service
        Who answered: the name of the model.
    item
        What identifies the item in the logs of every service, such as the hash of a document.
    said
        The answer; None where there is none.
    scores
        How good it was, by metric, in [0, 1]; None where the log has no figure.
    judges
        What others thought of it without knowing the truth, by their names: a score or a verdict.
    target
        The truth.
    texts
        What people would read to judge it: question, context, choices, by the name of the column.
    facts
        Anything else about the item; nested values are allowed.
    epoch
        Which repeat of the item it is; None where items are not repeated.
    annotator
        The person whose verdict the scores are, where it is a person's.
    run
        The run or file that it is from. Runs of one service whose answers to an item differ are
        told apart by it; those that agree are one service.
    """

    service: str
    item: str
    said: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    judges: Mapping[str, float | str | None] = field(default_factory=dict)
    target: str | None = None
    texts: Mapping[str, str | None] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    epoch: int | None = None
    annotator: str | None = None
    run: str | None = None
