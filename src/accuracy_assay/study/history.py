"""The history of a simulated assay: one row of metrics per round, and the last surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["History", "rounds_frame"]

_FORECAST = {"expected_macro_mse": pl.Float64, "labels_to_halve": pl.Float64}
"""Columns that may be null in every round."""


@dataclass(frozen=True, eq=False)
class History:
    """The rounds of a simulated assay; tables are of the library that the rows were of.

    Parameters
    ----------
    metrics
        One row per round: ``round``, ``labels`` (seed set included), ``macro_mse``, ``worst_mse``,
        ``micro_mse``, ``infrequent_mse``, ``floor_mse`` (all times 100, against the gold of all
        rows), ``coverage_90`` (percent), ``expected_macro_mse`` (the error that the estimator
        expects, without any truth), ``labels_to_halve`` (how many more labels would halve that)
        and ``seconds`` (fit and choice of that round). The two forecasts are null if the
        estimator gives none, or after too few rounds.
    surface
        The surface after the last round.
    picks
        One row per label asked for: ``round``, ``row`` (its number in the table), ``probability``
        of the pick, ``reason``, ``at_random``: whether it was drawn from all rows alike (the
        rows of the seed set were, too), ``confirm``: the attributes that were confirmed with it at
        a price, and ``price`` of it all, in labels.
    seed_rows
        Numbers of the rows of the seed set.
    """

    metrics: Frame
    surface: AccuracySurface
    picks: Frame
    seed_rows: IntArray

    @property
    def labelled(self) -> IntArray:
        """Numbers of all rows that have a label in the end, in increasing order."""
        return np.sort(np.concatenate([self.seed_rows, np.asarray(self.picks["row"])]))

    def in_frames(self, kind: FrameKind) -> History:
        """Return the rounds with tables of another kind."""
        return replace(
            self,
            metrics=as_kind(self.metrics, kind),
            surface=replace(self.surface, frames=kind),
            picks=as_kind(self.picks, kind),
        )


def rounds_frame(rounds: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return the metrics of some rounds, one row each, as in `History`."""
    return pl.DataFrame(rounds, schema_overrides=_FORECAST, infer_schema_length=None)
