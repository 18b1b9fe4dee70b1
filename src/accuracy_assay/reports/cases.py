"""Labelled instances as a report shows them: what was seen, what it is, what the service said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Case", "wrong_first"]

_RIGHT = 0.5
"""Least agreement of an answer that counts as right, where it is not just yes or no."""


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled instance.

    Parameters
    ----------
    id
        Its id.
    label, answer
        What it is, and what the service said.
    score
        How well the two agree, in [0, 1].
    shown
        What annotators were shown, as texts by column.
    picture
        An image of it, with its media type.
    """

    id: str
    label: str
    answer: str
    score: float
    shown: Mapping[str, str] = field(default_factory=dict)
    picture: tuple[str, bytes] | None = None

    @property
    def is_right(self) -> bool:
        """Whether the service was right, or more right than wrong."""
        return self.score >= _RIGHT


def wrong_first(cases: Sequence[Case], count: int) -> tuple[Case, ...]:
    """Return the first ``count`` cases: where the service was wrong, then where it was right."""
    return tuple(sorted(cases, key=lambda case: case.is_right))[:count]
