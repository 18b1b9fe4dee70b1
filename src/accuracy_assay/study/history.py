"""What a simulated assay went through: one row of metrics per round, and the last surface."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["History"]


@dataclass(frozen=True, eq=False)
class History:
    """The rounds of a simulated assay.

    Parameters
    ----------
    metrics
        One row per round: ``round``, ``labels`` (seed set included), ``macro_mse``, ``worst_mse``,
        ``micro_mse``, ``infrequent_mse``, ``floor_mse`` (all times 100, against the gold of all
        rows), ``coverage_90`` (per cent), ``expected_macro_mse`` (what the estimator expects its
        own error to be, without any truth), ``labels_to_halve`` (how many more labels would halve
        that) and ``seconds`` (fit and choice of that round). The two forecasts are null where the
        estimator gives none, or too few rounds have passed.
    surface
        The surface after the last round.
    picks
        One row per label that was asked for: ``round``, ``row`` (its number in the table),
        ``probability`` with which it was picked and ``reason``.
    """

    metrics: pl.DataFrame
    surface: AccuracySurface
    picks: pl.DataFrame
