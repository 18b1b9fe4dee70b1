"""Who holds which instance, and until when.

Leases are counted as they come and go; they are searched only once one of them may have ended.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Leases"]


@dataclass
class Leases:
    """Leases by instance and annotator, in the order in which instances were given.

    A lease that ran out is here until `expire` removes it. ``longest_s`` is the longest lease of
    any spec so far.
    """

    longest_s: float = math.inf
    _until: dict[str, dict[str, float]] = field(default_factory=dict)
    _n: int = 0
    _first_end: float = math.inf
    _last_end: float = -math.inf

    def __contains__(self, instance: object) -> bool:
        return instance in self._until

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._until))

    def give(self, instance: str, annotator: str, until: float) -> None:
        """Let an annotator hold an instance until a time."""
        by = self._until.setdefault(instance, {})
        self._n += annotator not in by
        by[annotator] = until
        self._first_end = min(self._first_end, until)
        self._last_end = max(self._last_end, until)

    def end(self, instance: str, annotator: str) -> None:
        """End an annotator's lease, if there is one."""
        by = self._until.get(instance, {})
        self._n -= by.pop(annotator, None) is not None
        if not by:
            self._until.pop(instance, None)

    def end_all(self, instance: str) -> None:
        """End every lease of an instance."""
        self._n -= len(self._until.pop(instance, ()))

    def expire(self, now: float) -> None:
        """Remove the leases that have run out."""
        if self._are_all_held(now):
            return
        over = [
            (instance, annotator)
            for instance, by in self._until.items()
            for annotator, until in by.items()
            if not self._is_held(until, now)
        ]
        for instance, annotator in over:
            self.end(instance, annotator)
        ends = [until for by in self._until.values() for until in by.values()]
        self._first_end, self._last_end = min(ends, default=math.inf), max(ends, default=-math.inf)

    def until(self, instance: str, annotator: str) -> float | None:
        """Return when a lease ends; None where there is none."""
        return self._until.get(instance, {}).get(annotator)

    def is_held(self, instance: str, annotator: str, now: float) -> bool:
        """Return whether an annotator holds an instance."""
        return self._is_held(self._until.get(instance, {}).get(annotator, 0.0), now)

    def n_holders(self, instance: str, now: float) -> int:
        """Return how many annotators hold an instance."""
        return sum(self._is_held(until, now) for until in self._until.get(instance, {}).values())

    def n_held(self, now: float) -> int:
        """Return how many leases have not run out."""
        if self._are_all_held(now):
            return self._n
        return sum(self.n_holders(instance, now) for instance in self._until)

    def held(self, now: float) -> list[str]:
        """Return the instances that someone holds."""
        return [instance for instance in self if self.n_holders(instance, now)]

    def held_by(self, annotator: str, now: float) -> list[str]:
        """Return the instances that an annotator holds."""
        return [instance for instance in self if self.is_held(instance, annotator, now)]

    def pairs(self, now: float) -> list[tuple[str, str]]:
        """Return the leases that have not run out, as instance and annotator."""
        return [
            (instance, annotator)
            for instance, by in self._until.items()
            for annotator, until in by.items()
            if self._is_held(until, now)
        ]

    def annotators(self) -> set[str]:
        """Return everyone who has a lease, even one that ran out."""
        return {annotator for by in self._until.values() for annotator in by}

    def _are_all_held(self, now: float) -> bool:
        """Return whether every lease is held, judging by the earliest and the latest end."""
        return now < self._first_end and self._last_end <= now + 2.0 * self.longest_s

    def _is_held(self, until: float, now: float) -> bool:
        """Return whether a lease that ends at ``until`` is still held.

        One that ends far later than any lease would was given by a clock that had jumped ahead:
        it counts as over, or it would lock the budget until that time comes. Twice the longest
        lease leaves room for clocks that differ a little.
        """
        return now < until <= now + 2.0 * self.longest_s
