"""A pool whose truth is known, and averages of it that a surface is asked for.

Three kinds of average: a *mix*, weights on combinations of some attributes as a client might have
them (`AccuracySurface.under`); a *slice*, the rows with one value of one or two attributes
(``at``); a *marginal*, each value of an attribute (``marginal``). Their truths are counted from
the rows, by other code than the surface's own. As with arms, combinations of fewer than 20 rows
are left out, unless there are no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay import AccuracySurface, AttributeSpace
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import LEAST_CHECKED_ROWS, holds
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["Averages", "KnownPool", "Mix", "Slice"]

_ROWS, _RIGHT, _WEIGHT = "__rows", "__right", "weight"
_MOST_SLICED = 2
"""Attributes that a slice names: as many as people name when they ask for a part."""


@dataclass(frozen=True, slots=True)
class Mix:
    """A client's mix as `AccuracySurface.under` takes it, and its true accuracy."""

    table: pl.DataFrame
    truth: float


@dataclass(frozen=True, slots=True)
class Slice:
    """Attribute values as `AccuracySurface.at` takes them, and the true accuracy of their rows."""

    where: Mapping[str, object]
    truth: float


@dataclass(frozen=True, eq=False)
class KnownPool:
    """The truth of a pool.

    Parameters
    ----------
    space
        The attribute space.
    arms
        One row per occupied arm: its attributes, number of rows and summed score.
    """

    space: AttributeSpace
    arms: pl.DataFrame

    @classmethod
    def count(cls, space: AttributeSpace, arms: IntArray, scores: npt.ArrayLike) -> KnownPool:
        """Count the arm (n,) and the score (n,) of every row."""
        gold = Gold.count(arms, scores, least_rows=1)
        rows = pl.Series(_ROWS, gold.size)
        right = pl.Series(_RIGHT, gold.size * gold.accuracy)
        return cls(space, space.frame(gold.arms).with_columns(rows, right))

    @property
    def accuracy(self) -> float:
        """Mean score over all rows."""
        return float(self.arms[_RIGHT].to_numpy().sum() / self.arms[_ROWS].to_numpy().sum())

    def by(self, *names: str) -> pl.DataFrame:
        """Return the combinations of some attributes that are large enough, with their truth."""
        counted = (
            self.arms.group_by(names, maintain_order=True)
            .agg(pl.col(_ROWS).sum(), pl.col(_RIGHT).sum())
            .select(*names, _ROWS, (pl.col(_RIGHT) / pl.col(_ROWS)).alias("truth"))
        )
        large = counted.filter(pl.col(_ROWS) >= LEAST_CHECKED_ROWS)
        return (counted if large.is_empty() else large).drop(_ROWS)

    def draw_mix(self, rng: np.random.Generator) -> Mix:
        """Return random weights on a random part of the combinations of some attributes."""
        found = self.by(*self._some_names(rng, len(self.space.names)))
        count = int(rng.integers(1, found.height + 1))
        part = found[np.sort(rng.permutation(found.height)[:count])]
        weight = rng.dirichlet(np.ones(count))
        table = part.drop("truth").with_columns(pl.Series(_WEIGHT, weight))
        return Mix(table, float(weight @ part["truth"].to_numpy()))

    def draw_slice(self, rng: np.random.Generator) -> Slice:
        """Return the rows with a random value of one or two attributes."""
        found = self.by(*self._some_names(rng, _MOST_SLICED))
        row = found.row(int(rng.integers(found.height)), named=True)
        return Slice({name: row[name] for name in found.columns[:-1]}, row["truth"])

    def _some_names(self, rng: np.random.Generator, most: int) -> list[str]:
        names = self.space.names
        count = int(rng.integers(1, min(most, len(names)) + 1))
        return [names[k] for k in np.sort(rng.permutation(len(names))[:count])]


@dataclass(frozen=True, eq=False)
class Averages:
    """Random averages of a known pool; a surface is asked for them at every size alike.

    Parameters
    ----------
    mixes, slices
        What is asked for, with truths.
    marginals
        By attribute: its values, and the truth of each.
    """

    mixes: tuple[Mix, ...]
    slices: tuple[Slice, ...]
    marginals: Mapping[str, pl.DataFrame]

    @classmethod
    def draw(cls, pool: KnownPool, count: int, rng: np.random.Generator) -> Averages:
        """Draw ``count`` mixes and as many slices."""
        return cls(
            tuple(pool.draw_mix(rng) for _ in range(count)),
            tuple(pool.draw_slice(rng) for _ in range(count)),
            {name: pool.by(name) for name in pool.space.names},
        )

    def held(self, surface: AccuracySurface) -> dict[str, float]:
        """Return the percentage of the intervals of ``surface`` that hold the truth, by kind."""
        mixes = [(surface.under(mix.table), mix.truth) for mix in self.mixes]
        slices = [(surface.at(**part.where), part.truth) for part in self.slices]
        return {
            "mixes_90": _per_cent([(e.lower, e.upper, truth) for e, truth in mixes]),
            "slices_90": _per_cent([(e.lower, e.upper, truth) for e, truth in slices]),
            "marginals_90": _per_cent(self._marginals(surface)),
        }

    def _marginals(self, surface: AccuracySurface) -> list[tuple[float, float, float]]:
        ends: list[tuple[float, float, float]] = []
        for name, truths in self.marginals.items():
            found = surface.marginal(name).join(truths, on=name, how="inner")
            ends += found.select("lower", "upper", "truth").iter_rows()
        return ends


def _per_cent(ends: list[tuple[float, float, float]]) -> float:
    lower, upper, truth = np.array(ends).T
    return float(100.0 * holds(lower, upper, truth).mean())
