"""The quick demonstration: a surface of the bundled rows, a sixth of which count as labelled."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from accuracy_assay.metrics.gold import Gold
from accuracy_assay.reports.provenance import facts_of
from accuracy_assay.reports.report import Report
from accuracy_assay.study.estimate import estimate
from accuracy_assay.tasks.example import example

__all__ = ["ATTRIBUTES", "QuickDemo", "run_quick"]

ATTRIBUTES = ("age", "sex", "education", "marital")
_N_LABELS = 1_000
_TRUTH = ("label", "correct")
"""What nobody knows of a row before it is labelled."""


@dataclass(frozen=True, slots=True)
class QuickDemo:
    """What the quick demonstration gave: the report, the labelled rows, and all rows."""

    report: Report
    labelled: pl.DataFrame
    pool: pl.DataFrame


def run_quick() -> QuickDemo:
    """Estimate the surface of an income classifier from 1,000 labels of 6,000 people.

    The estimate sees the labels of the first 1,000 rows alone. The others are the truth that the
    report shows beside it.
    """
    rows = example("adult")
    labelled, pool = rows.head(_N_LABELS), rows.drop(_TRUTH)
    surface = estimate(labelled, list(ATTRIBUTES), "correct", pool=pool)
    arms = surface.space.arm_index(surface.space.encode(rows))
    report = Report(
        title="Income over 50K?",
        surface=surface,
        description=(
            "A logistic regression says for 6,000 people of the US census of 1994 whether they "
            "earn more than 50,000 dollars a year. 1,000 of its answers were checked; the truth "
            "of the others is known here and stands beside the estimates. Data: UCI Adult "
            "(Becker and Kohavi, 1996), CC BY 4.0."
        ),
        truth=Gold.count(arms, rows.get_column("correct").to_numpy(), least_rows=1),
        facts=facts_of(surface),
    )
    return QuickDemo(report, labelled, pool)
