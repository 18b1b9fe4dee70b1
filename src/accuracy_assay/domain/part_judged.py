"""Judges that scored only a part of the rows, and how many: what a surface must say about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from accuracy_assay.domain.detail import Detail

__all__ = ["PartJudged"]


@dataclass(frozen=True, slots=True)
class PartJudged(Detail):
    """How many rows each judge scored, and of how many.

    Examples
    --------
    >>> print(PartJudged({"llm": 1200}, 6000))
    the judge 'llm' scored 1,200 of 6,000 rows; the others count as rows like them
    """

    key: ClassVar[str] = "part_judged"

    scored: Mapping[str, int]
    of: int

    def __str__(self) -> str:
        counts = [f"{name!r} scored {n:,}" for name, n in self.scored.items()]
        judges = "the judge" if len(counts) == 1 else "of the judges"
        said = f"{judges} {', '.join(counts)} of {self.of:,} rows"
        return f"{said}; the others count as rows like them"
