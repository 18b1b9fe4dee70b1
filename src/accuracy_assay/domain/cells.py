"""What the pool says about the arms without any label: which exist, how large, made of what.

Notation: a *cell* is an arm together with one stratum of the free signals (what the service itself
says: predicted class, confidence). With S strata, ``cell = arm * S + stratum``; without signals
S = 1 and a cell is its arm. The support lists the J occupied cells in increasing order with the
number of pool rows in each (fractional if attributes are guessed).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.grouping import sum_by_group, sum_by_number
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["LEAST_ACTIVE_ROWS", "SIGNAL_LEVELS", "Support", "over_cells"]

LEAST_ACTIVE_ROWS = 5
"""Fewest pool rows of an active arm, as in the paper (section 4.4)."""

SIGNAL_LEVELS = 12
"""Classes of equal width into which the arms' means of a signal are cut: a few more than a signal
has strata, since a mean takes values in between."""

_LISTED_ARMS_LIMIT = 100_000
"""Up to this many arms, a surface also lists those without rows. Bounds memory: a thousand joint
draws of this many arms take 400 MB."""
_MOST_CELLS_OF_AN_ARM = 5_000
"""Cells that clusters may divide an arm into. Bounds memory: the covariance of this many takes
200 MB, a few times over."""


@dataclass(frozen=True, eq=False)
class Support:
    """The occupied cells of a pool and their sizes.

    Parameters
    ----------
    space
        The attribute space.
    strata
        The space of the free signals' strata, or None without signals.
    cells
        Occupied cells in increasing order, shape (J,).
    size
        Number of pool rows in each, shape (J,).
    is_pool
        Whether the sizes describe a pool that includes the labelled rows. False if no pool was
        given.
    others
        The sizes by other calibrations of guessed attributes, shape (B, J); None if attributes
        are exact or nobody knows.
    opinion
        What free signals make of each occupied arm as a whole, shape (A,), where guessed
        attributes leave them no strata; None without.
    """

    space: AttributeSpace
    strata: AttributeSpace | None
    cells: IntArray
    size: FloatArray
    is_pool: bool = True
    others: FloatArray | None = None
    opinion: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.cells.shape != self.size.shape:
            raise InputError(
                f"cells and size must have one shape; got {self.cells.shape}, {self.size.shape}."
            )
        if self.others is not None and self.others.shape[1:] != self.size.shape:
            raise InputError(
                f"others must have a size for each cell, {self.size.shape}; got "
                f"{self.others.shape[1:]}."
            )
        if self.space.n_arms * self.n_strata >= 2**63:
            raise InputError(
                f"arms times strata must stay below 2^63; got {self.space.n_arms} arms and "
                f"{self.n_strata} strata. Use fewer signals."
            )
        if self.is_pool and self.n_clusters > 1 and self.cells.size > _MOST_CELLS_OF_AN_ARM:
            self._refuse_crowded_arm()
        self.cells.setflags(write=False)
        self.size.setflags(write=False)

    def _refuse_crowded_arm(self) -> None:
        arms, n_cells = np.unique(self.cells // self.n_strata, return_counts=True)
        most = int(n_cells.argmax())
        if n_cells[most] > _MOST_CELLS_OF_AN_ARM:
            assert self.strata is not None
            raise InputError(
                f"cluster {self.strata.names[-1]!r} must divide an arm into at most "
                f"{_MOST_CELLS_OF_AN_ARM:,} cells; got {n_cells[most]:,} in "
                f"{self.space.describe(int(arms[most]))}. Group clusters into a column with "
                "fewer values."
            )

    @classmethod
    def count(
        cls,
        space: AttributeSpace,
        strata: AttributeSpace | None,
        cells: npt.ArrayLike,
        size: npt.ArrayLike | None = None,
        *,
        is_pool: bool = True,
    ) -> Support:
        """Build the support from cells that may repeat, each with a weight (default one)."""
        index = np.asarray(cells, dtype=np.int64)
        weight = np.ones(index.shape) if size is None else np.asarray(size, dtype=np.float64)
        return cls(space, strata, *sum_by_number(index, weight), is_pool)

    @property
    def n_strata(self) -> int:
        """Number of signal strata S; one without signals."""
        return 1 if self.strata is None else self.strata.n_arms

    @property
    def signals(self) -> tuple[Attribute, ...]:
        """The free signals that divide arms, without clusters."""
        every = () if self.strata is None else self.strata.attributes
        return tuple(a for a in every if a.kind != "cluster")

    @property
    def averaged_signals(self) -> tuple[int, ...]:
        """Which of ``signals`` have a mean over an arm: ordered ones, and those of two classes."""
        return tuple(k for k, a in enumerate(self.signals) if a.is_ordered or a.size == 2)

    @property
    def n_means(self) -> int:
        """How many means over an arm there are: columns of ``signal_levels``."""
        return len(self.averaged_signals) + (self.opinion is not None)

    @property
    def n_clusters(self) -> int:
        """Number of clusters; one if rows are independent."""
        last = None if self.strata is None else self.strata.attributes[-1]
        return last.size if last is not None and last.kind == "cluster" else 1

    @cached_property
    def arms(self) -> IntArray:
        """Occupied arms in increasing order."""
        return np.unique(self.cells // self.n_strata)

    @cached_property
    def arm_of_cell(self) -> IntArray:
        """Position in ``arms`` of each cell's arm, shape (J,)."""
        return np.searchsorted(self.arms, self.cells // self.n_strata).astype(np.int64)

    @cached_property
    def arm_size(self) -> FloatArray:
        """Number of pool rows in each occupied arm."""
        return sum_by_group(self.arm_of_cell, self.size, self.arms.size)

    @cached_property
    def other_arm_sizes(self) -> FloatArray | None:
        """The sizes of the occupied arms by other calibrations, (B, A), None without any."""
        if self.others is None:
            return None
        sums = [sum_by_group(self.arm_of_cell, each, self.arms.size) for each in self.others]
        return np.stack(sums)

    @cached_property
    def is_active(self) -> BoolArray:
        """Whether each occupied arm has at least ``LEAST_ACTIVE_ROWS`` rows."""
        return np.asarray(self.arm_size >= LEAST_ACTIVE_ROWS)

    @cached_property
    def typical_arm_size(self) -> float:
        """Geometric mean of the sizes of the active arms, or of all if none is active."""
        sizes = self.arm_size[self.is_active] if self.is_active.any() else self.arm_size
        return float(np.exp(np.log(sizes).mean())) if sizes.size else 1.0

    @cached_property
    def signal_levels(self) -> IntArray:
        """Class of each arm's mean of each of ``averaged_signals``, or opinion, (A, n_means).

        A signal's value is the share of the pool below it, so its strata lie as far apart as they
        are large.
        """
        levels = np.zeros((self.arms.size, self.n_means), dtype=np.int64)
        if self.opinion is not None and levels.size:
            levels[:, -1] = _levels(self.opinion)
        if self.strata is None or not levels.size:
            return levels
        codes = self.strata.codes(self.cells % self.n_strata)
        for column, k in enumerate(self.averaged_signals):
            share = sum_by_group(codes[:, k], self.size, self.signals[k].size) / self.size.sum()
            rank = np.cumsum(share) - share / 2.0
            total = sum_by_group(self.arm_of_cell, self.size * rank[codes[:, k]], self.arms.size)
            levels[:, column] = _levels(total / self.arm_size)
        return levels

    def signal_levels_of(self, arms: IntArray) -> IntArray:
        """Return ``signal_levels`` of any arms, the middle class for those not in the pool."""
        if self.arms.size == 0:
            return np.full((arms.size, self.n_means), SIGNAL_LEVELS // 2)
        position = np.minimum(np.searchsorted(self.arms, arms), self.arms.size - 1)
        is_known = (self.arms[position] == arms)[:, None]
        return np.where(is_known, self.signal_levels[position], SIGNAL_LEVELS // 2)

    @cached_property
    def listed_arms(self) -> IntArray:
        """Arms that a surface lists: all, or only the occupied ones of a huge space."""
        if self.space.n_arms <= _LISTED_ARMS_LIMIT:
            return np.arange(self.space.n_arms, dtype=np.int64)
        return self.arms

    def size_of(self, arms: IntArray) -> FloatArray:
        """Return the number of pool rows in each of ``arms``, zero where there are none."""
        if self.arms.size == 0:
            return np.zeros(arms.shape)
        position = np.searchsorted(self.arms, arms)
        position[position == self.arms.size] = 0
        found = self.arms[position] == arms
        return np.where(found, self.arm_size[position], 0.0)

    def rows_in(self, cells: IntArray) -> FloatArray:
        """Return the pool rows of some cells, 0 for those that have none."""
        if not self.cells.size:
            return np.zeros(cells.shape)
        at = np.minimum(np.searchsorted(self.cells, cells), self.cells.size - 1)
        return np.where(self.cells[at] == cells, self.size[at], 0.0)

    def with_at_least(self, cells: IntArray, size: npt.ArrayLike) -> Support:
        """Return the support with at least ``size`` rows in each of ``cells``, listed or not.

        Labelled rows exist, so a pool that leaves some out must not lose their labels. Unless
        accuracies are those of its own rows, it still says how common each cell is: only cells
        that it does not list are added.
        """
        seen = Support.count(self.space, self.strata, cells, size, is_pool=self.is_pool)
        every = np.union1d(self.cells, seen.cells)
        both = np.zeros((2, every.size))
        for known, part in zip(both, (self, seen), strict=True):
            known[np.searchsorted(every, part.cells)] = part.size
        if not self.is_pool:
            both[1, both[0] > 0.0] = 0.0
        if np.all(both[1] <= both[0]):
            return self
        others: FloatArray | None = None
        if self.others is not None:
            others = np.zeros((self.others.shape[0], every.size))
            others[:, np.searchsorted(every, self.cells)] = self.others
            others = np.maximum(others, both[1])
        found = Support(self.space, self.strata, every, both.max(axis=0), self.is_pool, others)
        if self.opinion is None:
            return found
        opinion = np.full(found.arms.size, float(self.opinion.mean()))  # of arms not listed
        opinion[np.searchsorted(found.arms, self.arms)] = self.opinion
        return replace(found, opinion=opinion)

    def with_other_strata(self, arm: IntArray, strata: Sequence[IntArray]) -> Support:
        """Return the support with what else its cells' sizes may be, as ``others``.

        Parameters
        ----------
        arm
            Arm of each row of the pool, (n,).
        strata
            The stratum that each row may have instead, (n,) each. Rows that fall outside of the
            cells are shared out over those of their arm.
        """
        others = np.zeros((len(strata), self.cells.size))
        for other, stratum in zip(others, strata, strict=True):
            counted = Support.count(self.space, self.strata, arm * self.n_strata + stratum)
            other[:] = counted.rows_in(self.cells)
            of_arm = sum_by_group(self.arm_of_cell, other, self.arms.size)
            other *= (self.arm_size / np.maximum(of_arm, 1.0))[self.arm_of_cell]
        return replace(self, others=others)

    def with_clusters_only(self) -> Support:
        """Return the same pool with clusters as they are and the strata of signals merged."""
        if self.n_clusters == 1 or self.strata is None:
            return self.without_signals()
        number = self.cells // self.n_strata * self.n_clusters + self.cells % self.n_clusters
        return self._merged(number, AttributeSpace(self.strata.attributes[-1:]))

    def without_clusters(self) -> Support:
        """Return the same pool with the strata of signals as they are and clusters merged."""
        if self.n_clusters == 1 or self.strata is None:
            return self
        strata = AttributeSpace(self.signals) if self.signals else None
        return replace(self._merged(self.cells // self.n_clusters, strata), opinion=self.opinion)

    def _merged(self, number: IntArray, strata: AttributeSpace | None) -> Support:
        """Return the same pool with each cell under another number, which several may share."""
        cells, at = np.unique(number, return_inverse=True)
        sums = [sum_by_group(at.reshape(-1), self.size, cells.size)]
        others = () if self.others is None else self.others
        sums += [sum_by_group(at.reshape(-1), each, cells.size) for each in others]
        return Support(
            self.space,
            strata,
            cells,
            sums[0],
            self.is_pool,
            None if self.others is None else np.stack(sums[1:]),
        )

    def without_signals(self) -> Support:
        """Return the same pool with its strata merged."""
        return Support(
            self.space, None, self.arms, self.arm_size, self.is_pool, self.other_arm_sizes
        )


def _levels(mean: FloatArray) -> IntArray:
    """Return the classes of equal width of the arms' means, (A,)."""
    width = max(float(np.ptp(mean)), np.finfo(float).tiny) / SIGNAL_LEVELS
    above = ((mean - mean.min()) / width).astype(np.int64)
    return np.asarray(np.minimum(above, SIGNAL_LEVELS - 1), dtype=np.int64)


def over_cells(
    arms: Affiliation, strata: AttributeSpace | None, stratum: npt.ArrayLike | None
) -> Affiliation:
    """Return rows over arms as rows over cells, given the stratum of each row (n,)."""
    if strata is None:
        return arms
    code = np.asarray(stratum, dtype=np.int64)[arms.row_index]
    cells = arms.indices * strata.n_arms + code
    return Affiliation(arms.indptr, cells, arms.weights, arms.dropped)
