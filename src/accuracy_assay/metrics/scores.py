"""Squared errors of a surface against the gold, and how often its intervals hold it.

Notation: e_a = (mean_a - gold_a)^2 over the active arms. All errors are times 100, coverage is in
per cent, as the paper and its tables have them.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.interval_classes import CLASSES, classes_of
from accuracy_assay.runtime.arrays import BoolArray, IntArray

__all__ = [
    "CLASSES",
    "LEAST_CHECKED_ROWS",
    "Scores",
    "check_intervals",
    "coverage",
    "evaluate",
    "holds",
    "mean_width",
]

LEAST_CHECKED_ROWS = 20
"""Least rows of an arm whose interval is checked against its gold.

Chosen by hand: in smaller arms the gold moves in steps of more than a twentieth, so whether an
interval holds it says more about the steps than about the interval.
"""
_FEW_ARMS = 50  # "worst" and "infrequent" arms, as in the paper (section 4.4)
_SLACK = 1e-9  # an interval that ends at the gold holds it, whatever the rounding


@dataclass(frozen=True, slots=True)
class Scores:
    """The metrics of one surface.

    Parameters
    ----------
    macro_mse
        Mean of e_a over the active arms.
    worst_mse
        Mean of e_a over the 50 arms of lowest gold accuracy.
    micro_mse
        Mean of e_a weighted by the arm's number of rows.
    infrequent_mse
        Mean of e_a over the 50 active arms with the fewest rows.
    floor_mse
        The part of ``macro_mse`` that is noise of the gold itself.
    coverage_90
        Per cent of arms with at least 20 rows whose interval holds the gold (of all active arms
        where none has 20).
    """

    macro_mse: float
    worst_mse: float
    micro_mse: float
    infrequent_mse: float
    floor_mse: float
    coverage_90: float


def evaluate(surface: AccuracySurface, gold: Gold) -> Scores:
    """Return the metrics of ``surface`` against ``gold``."""
    listed = _positions(surface, gold)
    error = 100.0 * (surface.mean[listed] - gold.accuracy) ** 2
    worst = np.argsort(gold.accuracy, kind="stable")[:_FEW_ARMS]
    rare = np.argsort(gold.size, kind="stable")[:_FEW_ARMS]
    return Scores(
        float(error.mean()),
        float(error[worst].mean()),
        float(np.average(error, weights=gold.size)),
        float(error[rare].mean()),
        100.0 * gold.floor,
        coverage(surface, gold),
    )


def coverage(surface: AccuracySurface, gold: Gold, least_rows: int = LEAST_CHECKED_ROWS) -> float:
    """Return the per cent of arms with ``least_rows`` rows whose interval holds the gold."""
    listed = _positions(surface, gold)
    inside = holds(surface.lower[listed], surface.upper[listed], gold.accuracy)
    return float(100.0 * inside[_checked(gold, least_rows)].mean())


def mean_width(
    surface: AccuracySurface, gold: Gold, least_rows: int = LEAST_CHECKED_ROWS
) -> float:
    """Return the mean width of the intervals that ``coverage`` counts."""
    listed = _positions(surface, gold)
    width = surface.upper[listed] - surface.lower[listed]
    return float(width[_checked(gold, least_rows)].mean())


def check_intervals(surface: AccuracySurface, gold: Gold) -> pl.DataFrame:
    """Return how often intervals hold the gold, in all arms and by class.

    Arms with fewer than five rows are left out, as their gold says little, and so are those whose
    rows are all labelled, as there is nothing left to estimate.

    Parameters
    ----------
    surface
        The surface whose intervals are checked.
    gold
        Gold accuracies, of all arms or of the active ones.

    Returns
    -------
    polars.DataFrame
        ``group`` (``all``, or one of `CLASSES`), ``arms``, ``covered`` (a share) and ``width``
        (mean); classes without arms are left out. No row at all if every arm is fully labelled.
    """
    is_active = (gold.size >= LEAST_ACTIVE_ROWS) & np.isin(gold.arms, surface.arms)
    active = gold.take(np.flatnonzero(is_active))
    listed = _positions(surface, active)
    lower, upper = surface.lower[listed], surface.upper[listed]
    inside = holds(lower, upper, active.accuracy)
    every = {"all": active.size - surface.n[listed] > 0.5}
    table = [
        (name, int(part.sum()), float(inside[part].mean()), float((upper - lower)[part].mean()))
        for name, part in (every | classes_of(surface, active, listed)).items()
        if part.any()
    ]
    schema = {"group": pl.String, "arms": pl.Int64, "covered": pl.Float64, "width": pl.Float64}
    return pl.DataFrame(table, schema=schema, orient="row")


def holds(lower: npt.ArrayLike, upper: npt.ArrayLike, truth: npt.ArrayLike) -> BoolArray:
    """Return which intervals hold the truth, ends included."""
    middle = np.asarray(truth)
    return (np.asarray(lower) - _SLACK <= middle) & (middle <= np.asarray(upper) + _SLACK)


def _checked(gold: Gold, least_rows: int) -> BoolArray:
    """Return which arms are large enough; all of them where none is."""
    counted = gold.size >= least_rows
    return counted if counted.any() else np.ones(counted.shape, dtype=bool)


def _positions(surface: AccuracySurface, gold: Gold) -> IntArray:
    position = np.searchsorted(surface.arms, gold.arms)
    known = position < surface.arms.size
    if not known.all() or (surface.arms[position] != gold.arms).any():
        raise InputError("gold arms must be listed by the surface; got one that is not.")
    return position.astype(np.int64)
