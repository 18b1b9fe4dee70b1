"""The query parameters of each view."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from accuracy_assay.metrics.aim import AimOf
from accuracy_assay.reports.certificate import Statement

__all__ = [
    "ArmsQuery",
    "CompareQuery",
    "CompareSort",
    "HeatQuery",
    "InstancesQuery",
    "JudgeQuery",
    "ListQuery",
    "MarginalsQuery",
    "MixQuery",
    "ProgressQuery",
    "SlicesQuery",
    "ThenQuery",
    "TimeQuery",
    "ViewQuery",
    "WorstQuery",
]

_MOST_SHOWN = 1_000
"""Rows of a view as JSON: more than a page shows. CSV has them all."""

CompareSort = Literal["difference", "lower", "upper", "probability", "n", "support"]
Order = Literal["ascending", "descending"]
ShortText = Annotated[str, StringConstraints(max_length=400)]
ShortTexts = Annotated[list[ShortText], Field(max_length=200)]


class ViewQuery(BaseModel):
    """Parameters of every view."""

    service: ShortText | None = Field(None, description="Name of the service; the first if unset.")
    where: ShortTexts = Field([], description="attribute:value; repeat for several.")
    format: Literal["json", "csv", "png", "html"] = Field(
        "json", description="Format of the response."
    )


class MixQuery(ViewQuery):
    """The mix that averages are taken under."""

    mix: Literal["pool", "equal", "own"] = Field(
        "pool", description="The pool's, each arm equally, or your own weights."
    )
    weight: ShortTexts = Field([], description="attribute:value:number, for the mix 'own'.")


class HeatQuery(MixQuery):
    """Which two attributes."""

    rows: ShortText | None = Field(None, description="Attribute of the rows.")
    columns: ShortText | None = Field(None, description="Attribute of the columns.")


class MarginalsQuery(MixQuery):
    """Which axis."""

    zoom: Literal["data", "full"] = Field("data", description="Range of the axis.")


class ListQuery(ViewQuery):
    """Which part of a long list."""

    offset: int = Field(0, ge=0, le=10_000_000)
    limit: int = Field(50, ge=1, le=_MOST_SHOWN)

    @property
    def part(self) -> slice:
        """The part of the list to return; CSV has all of it."""
        is_whole = self.format == "csv"
        return slice(0, None) if is_whole else slice(self.offset, self.offset + self.limit)


class ArmsQuery(ListQuery):
    """Which arms, in which order."""

    search: ShortText = Field("", description="Words in an arm's attributes and values.")
    status: ShortText = Field("", description="Status of the arms; any if empty.")
    sort: ShortText = Field("mean", description="A number of the arms, or an attribute.")
    order: Order = "ascending"


class InstancesQuery(ListQuery):
    """Which instances, and whose answers; with ``id``, that instance alone."""

    which: Literal["labelled", "all"] = "labelled"
    services: Literal["chosen", "all"] = Field(
        "chosen", description="Answers of the chosen service, or of every one."
    )
    id: Annotated[str, StringConstraints(max_length=10_000)] | None = None


class WorstQuery(ViewQuery):
    """How many of the worst arms, and by what."""

    by: Literal["upper", "mean"] = "upper"
    count: int = Field(15, ge=1, le=_MOST_SHOWN)


class SlicesQuery(ViewQuery):
    """Slices below which accuracy are weak; by default, the overall one less a margin."""

    below: float | None = Field(None, gt=0.0, le=1.0, allow_inf_nan=False)


class ProgressQuery(ViewQuery):
    """The goal to forecast labels for; without a half-width there is none."""

    half_width: float | None = Field(None, gt=0.0, lt=0.5, allow_inf_nan=False)
    of: AimOf = "overall"


class TimeQuery(ViewQuery):
    """By which column of the pool rows are ordered, and where the baseline ends."""

    time: ShortText | None = Field(None, description="Column; by default the time of labels.")
    baseline: ShortText | None = Field(None, description="Its last time; by default a third.")


class JudgeQuery(ViewQuery):
    """Which judge, and what is certified."""

    judge: ShortText | None = Field(
        None, description="Name of the judge, where there are several."
    )
    tolerance: float = Field(0.03, gt=0.0, lt=1.0, description="Most that it may differ by.")
    statement: Statement = Field("level", description="Its figure, or its single decisions.")


class ThenQuery(ViewQuery):
    """Which two moments, in UTC: a day, or a time such as ``2026-11-11T09:30``."""

    then: ShortText | None = Field(None, description="The earlier one; a week ago if unset.")
    now: ShortText | None = Field(None, description="The later one; now if unset.")


class CompareQuery(ListQuery, MixQuery):
    """Which two services, the order of their arms, and by which attribute all are shown."""

    first: ShortText | None = None
    second: ShortText | None = None
    by: ShortText | None = Field(None, description="Attribute of the board; one by default.")
    search: ShortText = ""
    sort: CompareSort = "probability"
    order: Order = "descending"
