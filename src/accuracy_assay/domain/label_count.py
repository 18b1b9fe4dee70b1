"""How many rows are labelled, and how many certain labels these are worth, in words.

An answer of people who err counts less than one, so 120 labelled rows may say no more about the
service than 94 certain labels would.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LABELS_WORTH", "LabelCount"]

LABELS_WORTH = "labels_worth"
"""Key of a surface's details; without it labels are certain."""


@dataclass(frozen=True, slots=True)
class LabelCount:
    """Labelled rows, and what their labels are worth.

    Examples
    --------
    >>> print(LabelCount(120, 94.2), LabelCount(120, 120).of(400), sep="; ")
    120 labels, worth 94 certain ones; 120 of 400 rows labelled
    >>> LabelCount(120, 94.2).of(400)
    '120 of 400 rows labelled, worth 94 certain labels'
    """

    rows: float
    worth: float

    @property
    def share(self) -> float:
        """What a label is worth on average, up to one."""
        return self.worth / self.rows if self.rows else 1.0

    def of(self, pool: float) -> str:
        """Return how many of the pool's rows are labelled."""
        return f"{self.rows:,.0f} of {pool:,.0f} rows labelled{self._worth('certain labels')}"

    def _worth(self, what: str) -> str:
        return "" if self.worth == self.rows else f", worth {self.worth:,.0f} {what}"

    def __str__(self) -> str:
        return f"{self.rows:,.0f} labels{self._worth('certain ones')}"
