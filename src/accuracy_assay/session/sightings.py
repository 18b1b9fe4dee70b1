"""What annotators had been shown of an instance when they answered, by columns of the pool.

A later spec may show more or less. What was seen before an answer stays seen, and what was shown
only after it was not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Sightings"]

_NOTHING = frozenset[str]()


@dataclass
class Sightings:
    """The columns that were shown to each annotator of each instance, while they held it.

    ``first`` are those of the first spec, ``now`` those of the present one.
    """

    first: frozenset[str] | None = None
    now: frozenset[str] = _NOTHING
    of: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def follow(self, spec: Mapping[str, Any], held: Iterable[tuple[str, str]]) -> None:
        """Take over a spec; those who hold an instance see what it shows."""
        label = spec.get("label", {})
        shown = [*label.get("show", {}).values(), label.get("choices_from", ())]
        self.now = frozenset(
            column for each in shown for column in ((each,) if isinstance(each, str) else each)
        )
        self.first = self.now if self.first is None else self.first
        for instance, annotator in held:
            self.see(instance, annotator)

    def see(self, instance: str, annotator: str) -> None:
        """Note that an annotator is shown an instance now."""
        if self.now:
            key = (instance, annotator)
            self.of[key] = self.of.get(key, _NOTHING) | self.now

    def seen_by(self, instance: str, annotators: Iterable[str]) -> frozenset[str]:
        """Return the columns of an instance that any of some annotators had been shown."""
        return _NOTHING.union(*(self.of.get((instance, who), _NOTHING) for who in annotators))
