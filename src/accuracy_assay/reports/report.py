"""What a report shows: a surface, and beside it whatever else is known.

A report holds values only. The page, the picture and the terminal tables are drawn from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.domain.averages import Estimate
from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.slices import WeakSlices
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import UnknownNameError
from accuracy_assay.metrics.design_check import disagreement
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.labels_to_halve import LABELS_TO_HALVE
from accuracy_assay.reports.certificate import Certificate
from accuracy_assay.reports.judge_report import JudgeReport
from accuracy_assay.reports.over_time import OverTime
from accuracy_assay.reports.provenance import facts_of
from accuracy_assay.reports.services_board import ServicesBoard
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "MOST_SLICES",
    "TOO_FEW_LABELS",
    "Case",
    "Report",
    "label_next",
    "report_of",
    "wrong_first",
]

TOO_FEW_LABELS = "Too few labels to tell arms apart: read the overall accuracy alone."
"""What a report says while `AccuracySurface.tells_arms_apart` is false."""
MOST_SLICES = 10
"""Weak slices that are shown at once: nobody acts on more; the others can be asked for."""
_DIFFERS = 0.1
"""Both targets are shown if one interval is narrower than the other by more than this share: with
a fifth of the rows labelled or more."""
_RIGHT = 0.5
"""Least agreement of an answer that counts as right, where it is not just yes or no."""
_LEAST_VARIANCE = 1e-6
"""Of a single answer, m (1 - m): an accuracy of 0 or 1 to six digits has nothing to gain."""


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


@dataclass(frozen=True)
class Report:
    """A surface and what is known beside it.

    Parameters
    ----------
    title : str
        Headline.
    surface : AccuracySurface
        The surface to show.
    description : str
        One sentence on what was assayed.
    truth : Gold, optional
        Gold accuracies where they are known; counted with ``least_rows=1`` it also gives the
        truth of averages over arms.
    curves : mapping of str to polars.DataFrame
        Metrics by round of each method, as ``History.metrics``: ``labels``, ``macro_mse`` and
        any others. The first one is the method of the surface.
    facts : mapping of str to str
        How the surface was made: when, of which service, estimator, strategy, seed.
    examples : mapping of int to tuple of bytes
        PNG pictures of instances, by arm.
    cases : mapping of str to tuple of Case
        Labelled instances by the name of the weak slice, or arm, that they are in.
    calibration : CalibrationReport, optional
        What the guessed attributes behind the surface are worth.
    judges : JudgeReport, optional
        What judges of the service are worth, and where they are lenient or harsh.
    referees : polars.DataFrame, optional
        Accuracy by who agrees with the service: ``stratum``, ``rows``, ``labels``, ``accuracy``.
    contested : polars.DataFrame, optional
        Rows without a label on which no two services agree: ``id`` and their predictions.
    services : ServicesBoard, optional
        All services that the same labels score, side by side.
    certificate : Certificate, optional
        Where a judge of the service may decide in place of people.
    over_time : OverTime, optional
        Whether the service is still as good as it was.
    """

    title: str
    surface: AccuracySurface
    description: str = ""
    truth: Gold | None = None
    curves: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    cases: Mapping[str, tuple[Case, ...]] = field(default_factory=dict)
    calibration: CalibrationReport | None = None
    judges: JudgeReport | None = None
    referees: pl.DataFrame | None = None
    contested: pl.DataFrame | None = None
    services: ServicesBoard | None = None
    certificate: Certificate | None = None
    over_time: OverTime | None = None

    def __post_init__(self) -> None:
        for name, curve in self.curves.items():
            for column in ("labels", "macro_mse"):
                if column not in curve.columns:
                    raise UnknownNameError(f"column of curve {name!r}", column, curve.columns)

    @cached_property
    def slices(self) -> WeakSlices:
        """The weak slices of the surface; searched once."""
        return self.surface.slices()

    @cached_property
    def overall(self) -> Estimate:
        """Accuracy over all rows as they are."""
        return self.surface.overall

    @property
    def labels_to_halve(self) -> float | None:
        """How many more labels would halve the expected squared error, going by the fits so far.

        None for a surface of a single fit.
        """
        found = self.surface.details.get(LABELS_TO_HALVE)
        return float(found) if isinstance(found, int | float) else None

    @cached_property
    def other(self) -> Estimate | None:
        """Overall accuracy of what the surface is not about, where it differs enough to show."""
        other = self.surface.other_overall
        if other is None:
            return None
        own, width = (e.upper - e.lower for e in (self.overall, other))
        return other if abs(own - width) > _DIFFERS * max(own, width) else None

    @cached_property
    def equal(self) -> Estimate:
        """Accuracy with the arms of the pool weighted equally."""
        return self.surface.average(self.surface.mass(mix="equal"))

    def weak_arms(self) -> IntArray:
        """Return positions of the arms that are clearly weaker than the whole, worst first.

        The whole interval of such an arm lies below the overall accuracy (for an error
        rate, above the overall rate) and is no wider than 50 points; it has at least five
        pool rows.
        """
        order = self.surface.worst_first()
        is_weak = self.surface.side == (1 if self.surface.is_error else -1)
        return np.asarray(order[is_weak[order]])

    def truth_by_arm(self) -> FloatArray:
        """Return the gold accuracy of each listed arm, shape (A,); NaN where it is not known."""
        truth = np.full(self.surface.arms.shape, np.nan)
        if self.truth is not None:
            _, listed, known = np.intersect1d(
                self.surface.arms, self.truth.arms, assume_unique=True, return_indices=True
            )
            truth[listed] = self.truth.accuracy[known]
        return truth

    @property
    def check(self) -> dict[str, Any] | None:
        """The design-based check of the overall accuracy, with any disagreement in words."""
        found = self.surface.details.get("design_check")
        if not isinstance(found, Mapping):
            return None
        overall = self.overall
        figure = [float(found[name]) for name in ("mean", "lower", "upper")]
        said = disagreement((overall.mean, overall.lower, overall.upper), figure)
        return dict(zip(("mean", "lower", "upper"), figure, strict=True)) | {"said": said}

    def truth_of(self, *names: str) -> pl.DataFrame | None:
        """Return the gold accuracy by value of some attributes, or None where none is known.

        Returns
        -------
        polars.DataFrame or None
            The attribute columns and ``truth``, averaged over the rows behind the gold.
        """
        if self.truth is None:
            return None
        rows = self.surface.space.frame(self.truth.arms).with_columns(
            right=self.truth.accuracy * self.truth.size, size=self.truth.size
        )
        return rows.group_by(names).agg((pl.sum("right") / pl.sum("size")).alias("truth"))

    def truth_where(self, where: Mapping[str, object]) -> float | None:
        """Return the gold accuracy of the rows with some values, or None where none is known."""
        if self.truth is None:
            return None
        size = np.where(self.surface.space.matches(self.truth.arms, where), self.truth.size, 0.0)
        return float(size @ self.truth.accuracy / size.sum()) if size.sum() > 0.0 else None


def report_of(surface: AccuracySurface, title: str) -> Report:
    """Return the report of a surface alone, with how it was made."""
    return Report(title, surface, facts=facts_of(surface))


def label_next(surface: AccuracySurface, count: int = 8) -> IntArray:
    """Return positions in ``surface.arms`` of those to label next, the largest gain first.

    A Beta posterior with an arm's mean m and variance v has strength s = m (1 - m) / v - 1, and
    one more label leaves v s / (s + 1) of its variance on average. With w pool rows the gain is
    w v / (s + 1) = w v^2 / (m (1 - m)). What neighbours would learn from the label is left out: a
    strategy knows it, a surface alone does not. Arms whose pool rows are all labelled, and those
    with fewer than five, are left out.
    """
    single = surface.mean * (1.0 - surface.mean)
    variance = np.minimum(surface.sd**2, single)
    gain = surface.support * variance**2 / np.maximum(single, _LEAST_VARIANCE)
    order = np.argsort(-gain, kind="stable")
    is_open = (surface.support - surface.n >= 1.0) & (surface.support >= LEAST_ACTIVE_ROWS)
    return np.asarray(order[(is_open & (gain > 0.0))[order]][:count])


def wrong_first(cases: Sequence[Case], count: int) -> tuple[Case, ...]:
    """Return the first ``count`` cases: where the service was wrong, then where it was right."""
    return tuple(sorted(cases, key=lambda case: case.is_right))[:count]
