"""What the views of a surface may be asked with: the parameters of their addresses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from accuracy_assay.metrics.aim import AimOf
from accuracy_assay.web.surface.compare_view import CompareSort
from accuracy_assay.web.surface.question import MixName
from accuracy_assay.web.surface.views import Order

__all__ = [
    "Asked",
    "AskedArms",
    "AskedCompare",
    "AskedHeat",
    "AskedInstances",
    "AskedMarginals",
    "AskedPage",
    "AskedProgress",
    "AskedSlices",
    "AskedUnderMix",
    "AskedWorst",
]

_MOST_SHOWN = 1_000
"""Rows of a view in JSON at once: more than a page shows; a table has them all."""

Text = Annotated[str, StringConstraints(max_length=400)]
Texts = Annotated[list[Text], Field(max_length=200)]


class Asked(BaseModel):
    """What every view is asked with."""

    service: Text | None = Field(None, description="Name of the service; the first by default.")
    where: Texts = Field([], description="attribute:value; repeat for several.")
    format: Literal["json", "csv", "png"] = Field("json", description="What comes back.")


class AskedUnderMix(Asked):
    """A view of averages: under which mix they are taken."""

    mix: MixName = Field("pool", description="The pool's, every arm alike, or own weights.")
    weight: Texts = Field([], description="attribute:value:number, for the mix 'own'.")


class AskedHeat(AskedUnderMix):
    """Which two attributes."""

    rows: Text | None = Field(None, description="Attribute of the rows.")
    columns: Text | None = Field(None, description="Attribute of the columns.")


class AskedMarginals(AskedUnderMix):
    """On which axis."""

    zoom: Literal["data", "full"] = Field("data", description="Ends of the axis.")


class AskedPage(Asked):
    """Which part of a long list."""

    offset: int = Field(0, ge=0, le=10_000_000)
    limit: int = Field(50, ge=1, le=_MOST_SHOWN)


class AskedArms(AskedPage):
    """Which arms, in which order."""

    search: Text = Field("", description="Words that an arm's names and values hold.")
    status: Text = Field("", description="Status of the arms; any by default.")
    sort: Text = Field("mean", description="A number of the arms, or an attribute.")
    order: Order = "ascending"


class AskedInstances(AskedPage):
    """Which instances."""

    which: Literal["labelled", "all"] = "labelled"


class AskedWorst(Asked):
    """Worst by what, and how many."""

    by: Literal["upper", "mean"] = "upper"
    count: int = Field(15, ge=1, le=_MOST_SHOWN)


class AskedSlices(Asked):
    """Below which accuracy a slice is weak; by default the overall one less a margin."""

    below: float | None = Field(None, gt=0.0, le=1.0, allow_inf_nan=False)


class AskedProgress(Asked):
    """For which goal labels are forecast; for none without a half-width."""

    half_width: float | None = Field(None, gt=0.0, lt=0.5, allow_inf_nan=False)
    of: AimOf = "overall"


class AskedCompare(AskedPage, AskedUnderMix):
    """Which two services, and their arms in which order."""

    first: Text | None = None
    second: Text | None = None
    search: Text = ""
    sort: CompareSort = "probability"
    order: Order = "descending"
