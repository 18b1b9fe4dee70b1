"""Judges that scored only a part of the rows, and how many: what a surface must say about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

__all__ = ["PART_JUDGED", "PartJudged"]

PART_JUDGED = "part_judged"
"""Key of a surface's details."""


@dataclass(frozen=True, slots=True)
class PartJudged:
    """How many rows each judge scored, and of how many.

    Examples
    --------
    >>> print(PartJudged({"llm": 1200}, 6000))
    the judge 'llm' scored 1,200 of 6,000 rows; the others count as rows like them
    """

    scored: Mapping[str, int]
    of: int

    @classmethod
    def said_by(cls, details: Mapping[str, Any]) -> PartJudged | None:
        """Return what a surface's details say; None where judges scored every row."""
        found = details.get(PART_JUDGED)
        names = {f.name for f in fields(cls)}
        if not isinstance(found, Mapping) or found.keys() != names:
            return None
        return cls(**found)

    @property
    def details(self) -> dict[str, Any]:
        """What a surface's details say."""
        return {PART_JUDGED: asdict(self)}

    def __str__(self) -> str:
        counts = [f"{name!r} scored {n:,}" for name, n in self.scored.items()]
        judges = "the judge" if len(counts) == 1 else "of the judges"
        said = f"{judges} {', '.join(counts)} of {self.of:,} rows"
        return f"{said}; the others count as rows like them"
