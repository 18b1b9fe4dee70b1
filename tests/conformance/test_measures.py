"""Every measure of the registry keeps the laws of `accuracy_assay.testing`."""

import numpy as np
import polars as pl

from accuracy_assay.protocols import MeasureRule
from accuracy_assay.registry import MEASURES, build_measure
from accuracy_assay.testing import MeasureLaws

NAMES = {name: f"{name}:yes" for name in MEASURES} | {"win-rate": "win-rate:yes:first:second"}
"""Of pairs of several services one must say whose they are."""


class OfPairs(MeasureLaws):
    """Laws on rows that also name the two services of a pair."""

    name: str

    def make(self) -> MeasureRule:
        return build_measure(self.name)

    def rows(self) -> pl.DataFrame:
        rng = np.random.default_rng(7)
        rows = super().rows()
        sides = {side: rng.choice(["yes", "no"], rows.height) for side in ("first", "second")}
        return rows.with_columns(pl.Series(side, names) for side, names in sides.items())


globals().update(
    {f"Test_{key}": type(f"Test_{key}", (OfPairs,), {"name": name}) for key, name in NAMES.items()}
)
