"""Metrics that only repeat another one: a log with one verdict should have one score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from accuracy_assay.readers.answer import Answer

__all__ = ["without_copies"]


def without_copies(answers: Sequence[Answer], originals: Mapping[str, str]) -> list[Answer]:
    """Return the answers without metrics that equal their original in every answer.

    Parameters
    ----------
    answers
        All answers of the files.
    originals
        By a metric that may be a copy, the metric that it may be a copy of.

    Examples
    --------
    >>> said = Answer("m", "q", "4", {"pass": 1.0, "equals": 1.0, "short": 0.0})
    >>> without_copies([said], {"equals": "pass", "short": "pass"})[0].scores
    {'pass': 1.0, 'short': 0.0}
    """
    copies = {
        metric
        for metric, original in originals.items()
        if all(a.scores.get(original) == a.scores[metric] for a in answers if metric in a.scores)
    }
    return [
        replace(a, scores={name: score for name, score in a.scores.items() if name not in copies})
        for a in answers
    ]
