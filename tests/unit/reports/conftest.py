"""A small report whose numbers are known by hand."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.reports.report import Report


@pytest.fixture
def surface() -> AccuracySurface:
    """Six arms; the last one is not in the pool and the fifth is vague."""
    space = AttributeSpace(
        (Attribute("sex", ("F", "M")), Attribute("age", ("<30", "30-60", ">60"), kind="ordinal"))
    )
    return AccuracySurface(
        space,
        np.arange(6),
        n=np.array([10.0, 5.0, 2.5, 8.0, 0.0, 0.0]),
        correct=np.array([9.0, 4.0, 1.0, 4.0, 0.0, 0.0]),
        support=np.array([40.0, 30.0, 20.0, 10.0, 5.0, 0.0]),
        mean=np.array([0.9, 0.8, 0.4, 0.5, 0.6, 0.7]),
        sd=np.array([0.05, 0.1, 0.1, 0.1, 0.2, 0.2]),
        lower=np.array([0.8, 0.6, 0.3, 0.35, 0.2, 0.1]),
        upper=np.array([0.95, 0.9, 0.6, 0.65, 0.9, 0.95]),
    )


@pytest.fixture
def gold() -> Gold:
    """Truth of the five arms of the pool; the first interval misses it."""
    accuracy = np.array([0.7, 0.8, 0.5, 0.6, 0.8])
    return Gold(
        np.arange(5),
        accuracy,
        np.array([40.0, 30.0, 20.0, 10.0, 5.0]),
        accuracy * (1.0 - accuracy),
    )


@pytest.fixture
def report(surface: AccuracySurface, gold: Gold) -> Report:
    curve = pl.DataFrame(
        {
            "round": [0, 1, 2],
            "labels": [5, 15, 25],
            "macro_mse": [4.0, 3.0, 2.0],
            "floor_mse": [0.5, 0.5, 0.5],
            "coverage_90": [80.0, 85.0, 90.0],
        }
    )
    curves = {"chosen": curve, "random": curve.with_columns(pl.col("macro_mse") * 1.5)}
    return Report("Reader", surface, "A reader.", gold, curves, {"estimator": "anova-gp"})


@pytest.fixture
def bare(report: Report) -> Report:
    """A report of a real assay: nothing but the surface is known."""
    return replace(report, truth=None, curves={}, facts={})


@pytest.fixture
def flat(bare: Report) -> Report:
    """A report of six arms that are all alike."""
    n, support = np.full(6, 50.0), np.full(6, 200.0)
    columns = {"mean": np.full(6, 0.8), "sd": np.full(6, 0.04)}
    columns |= {"lower": np.full(6, 0.73), "upper": np.full(6, 0.87)}
    same = replace(bare.surface, n=n, correct=0.8 * n, support=support, **columns)
    return replace(bare, surface=same)


@pytest.fixture
def errors(bare: Report) -> Report:
    """The same numbers as a rate of errors: what was best is worst."""
    rate = {"measure": "false-positive rate", "is_error": True}
    return replace(bare, surface=replace(bare.surface, details=rate))
