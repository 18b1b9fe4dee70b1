"""How many scores behind a surface an automatic judge gave: by its certificate, or all of them.

A certificate says that the judge's figure is within a tolerance of that of people. So whatever
rests on its scores may be off by as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from accuracy_assay.domain.detail import Detail
from accuracy_assay.runtime.number_text import plural, points_text

__all__ = ["GradedByModel", "JudgeShare"]


@dataclass(frozen=True, slots=True)
class GradedByModel(Detail):
    """All scores behind a surface are those of a model; people gave none.

    Examples
    --------
    >>> print(GradedByModel("grade"))
    a model gave all scores ('grade'), people none
    """

    key: ClassVar[str] = "graded_by_model"

    score: str

    def __str__(self) -> str:
        return f"a model gave all scores ({self.score!r}), people none"


@dataclass(frozen=True, slots=True)
class JudgeShare(Detail):
    """Who decided about the rows behind a surface.

    Parameters
    ----------
    judge
        Name of the judge.
    tolerance
        How far its figure may be off that of people, by its certificate.
    decided, people, neither
        Rows that the judge decided, that people labelled, and that nobody may decide.
    beyond
        How many of the last have scores beyond those that labels have seen.
    certified, refused
        Attribute values of the slices that are certified on their own, if slices were asked about,
        and of those in which it may not decide.

    Examples
    --------
    >>> print(JudgeShare("llm", 0.03, 1200, 300, 0))
    the judge 'llm' decided 1,200 rows, certified within 3.0 points; people 300 rows
    """

    key: ClassVar[str] = "judge_share"

    judge: str
    tolerance: float
    decided: int
    people: int
    neither: int
    beyond: int = 0
    certified: Sequence[Mapping[str, object]] = ()
    refused: Sequence[Mapping[str, object]] = ()

    def __str__(self) -> str:
        said = (
            f"the judge {self.judge!r} decided {plural(self.decided, 'row')}, certified within "
            f"{points_text(self.tolerance)} points; people {plural(self.people, 'row')}"
        )
        if self.neither:
            said += f"; {plural(self.neither, 'row')} it may not decide, and people did not"
        if self.beyond:
            said += f", {self.beyond:,} of them beyond the scores that labels have seen"
        return said
