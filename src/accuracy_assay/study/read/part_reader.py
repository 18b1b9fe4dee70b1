"""How the rows of a part of a pool are read: their evidence and the stratum of their signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.evidence import Evidence, columns_by_value
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["MergedStrata", "PartReader"]


@dataclass(frozen=True, eq=False)
class MergedStrata:
    """Strata that replace others after signals were condensed.

    Parameters
    ----------
    strata
        The space of the new ones, None if no signal is left.
    old, new
        Numbers of the old strata that occur, increasing, and the new number of each, (d,).
    """

    strata: AttributeSpace | None
    old: IntArray
    new: IntArray

    def of(self, stratum: IntArray) -> IntArray:
        """Return the new numbers of old strata, (n,)."""
        return self.new[np.searchsorted(self.old, stratum)]


@dataclass(frozen=True, eq=False)
class PartReader:
    """Reads the rows of a part.

    Parameters
    ----------
    space
        The attributes.
    evidence, from_label
        Patterns of probability columns by guessed attribute, and attributes that labels reveal.
    columns
        All columns of the pool.
    signals
        The space of the free signals' strata, or None without signals.
    merged
        What replaces these strata, if anything.
    """

    space: AttributeSpace
    evidence: Mapping[str, str]
    from_label: Sequence[str]
    columns: Sequence[str]
    signals: AttributeSpace | None = None
    merged: MergedStrata | None = None

    @property
    def strata(self) -> AttributeSpace | None:
        """The strata that divide arms."""
        return self.signals if self.merged is None else self.merged.strata

    @property
    def attribute_columns(self) -> list[str]:
        """The columns about the attributes."""
        names: list[str] = []
        for name in self.space.names:
            if name in self.evidence:
                names += columns_by_value(self.evidence[name], self.columns).values()
            elif name not in self.from_label:
                names.append(name)
        return names or list(self.columns[:1])  # a frame without columns has no rows

    @property
    def signal_columns(self) -> list[str]:
        """The columns of the signals and the cluster."""
        return [] if self.signals is None else list(self.signals.names)

    def evidence_of(self, frame: pl.DataFrame) -> Evidence:
        """Return what is known about the rows' attributes."""
        from_label = tuple(self.from_label)
        return Evidence.from_frame(frame, self.space, self.evidence, from_label=from_label)

    def stratum_of(self, frame: pl.DataFrame) -> IntArray | None:
        """Return the stratum of each row, None if nothing divides arms."""
        if self.signals is None or self.strata is None:
            return None
        stratum = self.signals.arm_index(self.signals.encode(frame))
        return stratum if self.merged is None else self.merged.of(stratum)
