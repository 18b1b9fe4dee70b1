"""Label rows as the model sees them: successes and trials of cells, or of mixtures of cells.

Notation: J observed cells, R rows. With exact attributes rows are cells. With guessed ones, rows
either keep P (R, J), sparse (the mixture likelihood), or are split over their cells (the paper's
fractional counts).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.observations import Observations
from accuracy_assay.numerics.gp.laplace import CellLabels
from accuracy_assay.numerics.gp.marginal_likelihood import AnyLabels
from accuracy_assay.numerics.gp.mixture import Mixtures
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.padding import pad_rows, padded_size

__all__ = ["CellCounts", "LabelRows", "label_rows", "score_dispersion"]


# Pseudo-labels that hold the dispersion near a coin's. On whisper-text at 500 labels, 50 came 1.5%
# closer than 5 and 2% closer than a plain coin (docs/decisions/0004).
_COIN_LABELS = 50.0
# Rounds of a fixed point. Each shrinks the error by about phi / (n - phi): to a third if phi is
# one half and rows have the fewest labels that count, two.
_DISPERSION_ROUNDS = 20
_LEAST_DISPERSION = 0.01  # one label is worth at most 100 coins, however similar scores are
# Cells with a smaller weight in a row are left out. Chosen by hand: each cell that stays costs the
# fit as much as a label.
_NEGLIGIBLE_WEIGHT = 0.01
_MOST_DROPPED = 0.999  # an affiliation may not lose everything


@dataclass(frozen=True)
class CellCounts:
    """Labels n and their summed agreement y, for rows whose cell is certain, (T,)."""

    n: FloatArray
    y: FloatArray


@dataclass(frozen=True)
class LabelRows:
    """What the likelihood needs.

    Parameters
    ----------
    cells
        Observed cells, (J,).
    y, n
        Successes and trials of each row, (R,).
    P
        Mixture of each row, (R, J), or None if rows are cells.
    is_exact
        Whether attributes were exact to begin with.
    certain
        Cells, counts and summed agreement of the rows whose cell is certain.
    dispersion
        Variance of a score relative to a coin's, one for 0/1 scores.
    others
        The mixtures by other calibrations, (R, J) each; none if attributes are exact.
    other_y
        ``y`` by other readings of labels that are not certain, (B, R); None if all are.
    per_cell
        Clusters that a cell of the pool is the average of; one if its cells are these.
    """

    cells: IntArray
    y: FloatArray
    n: FloatArray
    P: csr_array | None
    is_exact: bool
    certain: tuple[IntArray, FloatArray, FloatArray]
    dispersion: float = 1.0
    others: tuple[csr_array, ...] = ()
    other_y: FloatArray | None = None
    per_cell: int = 1

    @property
    def has_coin_scores(self) -> bool:
        """Whether every score is 0 or 1."""
        return self.dispersion == 1.0

    def among_clusters(self, per_cell: int) -> LabelRows:
        """Return the rows for a pool each of whose cells is the average of so many clusters."""
        at, n, y = self.certain
        return replace(self, certain=(at // per_cell, n, y), per_cell=per_cell)

    def part(self, most_cells: int) -> LabelRows:
        """Return rows of at most ``most_cells`` cells: the best known, and a spread of others."""
        if self.cells.size <= most_cells:
            return self
        return (
            self._part_of_cells(most_cells) if self.P is None else self._part_of_rows(most_cells)
        )

    def _part_of_cells(self, most_cells: int) -> LabelRows:
        by_count = np.argsort(-self.n, kind="stable")
        best_known, others = np.split(by_count, [most_cells // 2])
        spread = others[:: -(-others.size // (most_cells - best_known.size))]
        kept = np.sort(np.concatenate([best_known, spread]))
        part = replace(self, cells=self.cells[kept], y=self.y[kept], n=self.n[kept])
        return replace(part, other_y=None)

    def _part_of_rows(self, most_cells: int) -> LabelRows:
        assert self.P is not None
        order = np.argsort(np.diff(self.P.indptr), kind="stable")
        first = np.full(
            self.cells.size, order.size
        )  # the first row, in that order, with each cell
        row = np.repeat(np.argsort(order), np.diff(self.P.indptr))
        np.minimum.at(first, self.P.indices, row)
        touched = np.cumsum(np.bincount(first, minlength=order.size + 1)[:-1])
        kept = np.sort(order[touched <= most_cells])
        part = self.P[kept]
        column = np.unique(part.indices)
        return replace(
            self,
            cells=self.cells[column],
            y=self.y[kept],
            n=self.n[kept],
            P=part[:, column],
            others=(),
            other_y=None,
        )

    def split(self) -> LabelRows:
        """Return the rows with each label split over its cells: the paper's fractional counts."""
        if self.P is None:
            return self
        y, n = self.P.T @ self.y, self.P.T @ self.n
        return replace(self, y=y, n=n, P=None, others=(), other_y=None)

    def as_labels(self) -> AnyLabels:
        """Return what the fit takes, each label counting 1 / dispersion: padded, or sparse."""
        y, n = self.y / self.dispersion, self.n / self.dispersion
        if self.P is not None:
            return Mixtures(y, n, self.P)
        size = padded_size(self.y.size)
        return CellLabels(put(pad_rows(y, size)), put(pad_rows(n, size)))

    def mixtures(self) -> list[Mixtures]:
        """Return what the fit takes of guessed rows, and what it would by other calibrations."""
        if self.P is None:
            return []
        y, n = self.y / self.dispersion, self.n / self.dispersion
        mixed = self.others or (self.P,) * (0 if self.other_y is None else len(self.other_y))
        read = [y] * len(mixed) if self.other_y is None else [*(self.other_y / self.dispersion)]
        others = (Mixtures(of, n, P) for of, P in zip(read, mixed, strict=True))
        return [Mixtures(y, n, self.P), *others]

    def other_scores_on(self, cells: IntArray) -> FloatArray | None:
        """Return by how much other readings move the sums of scores of cells (sorted), (B, T).

        None if labels are certain, or cells are guessed.
        """
        if self.other_y is None or self.P is not None:
            return None
        at = np.searchsorted(cells, self.cells // self.per_cell)
        moved = [sum_by_group(at, each - self.y, cells.size) for each in self.other_y]
        return np.stack(moved)

    def on_cells(self, cells: IntArray) -> CellCounts:
        """Return the certain labels of the given cells (sorted), zero if there are none."""
        at, *values = self.certain
        position = np.searchsorted(cells, at)
        found = position < cells.size
        found[found] = cells[position[found]] == at[found]
        n, y = (sum_by_group(position[found], v[found], cells.size) for v in values)
        return CellCounts(n, y)


def score_dispersion(observations: Observations) -> float:
    """Return the variance of a score relative to a coin's, phi in Var = phi rho (1 - rho).

    From the spread within rows of several labels: with m the row's mean, the sum of squares has
    the expectation phi (n - 1) E[m (1 - m)] / (1 - phi / n), which is solved for phi. Fifty
    pseudo-labels of a coin keep it near 1 while labels are few. Exactly 1 if all scores are 0
    or 1.
    """
    n, y, y_sq = observations.count, observations.score, observations.score_sq
    if np.array_equal(y, y_sq) or not n.sum():
        return 1.0
    several = n > 1.0
    n, y, y_sq = n[several], y[several], y_sq[several]
    coin = (y / n) * (1.0 - y / n)
    squares = y_sq - y**2 / n
    overall = observations.overall_accuracy
    extra = _COIN_LABELS * overall * (1.0 - overall)
    phi = 1.0
    for _ in range(_DISPERSION_ROUNDS):
        expected = ((n - 1.0) * coin / (1.0 - phi / n)).sum()
        phi = float((squares.sum() + extra) / (expected + extra))
    return float(np.clip(phi, _LEAST_DISPERSION, 1.0))


def label_rows(observations: Observations, *, use_mixture: bool) -> LabelRows:
    """Return the rows of the observations, split over cells unless ``use_mixture``."""
    affiliation = observations.affiliation
    length = np.diff(affiliation.indptr)
    single = length == 1
    at = affiliation.indices[affiliation.indptr[:-1][single]]
    certain = (at, observations.count[single], observations.score[single])
    is_exact, others = affiliation.is_exact, observations.others
    if not is_exact:
        stays = _is_counted(affiliation)
        others = None if others is None else others[:, stays]
        affiliation = _kept(affiliation, stays)
    cells, column = np.unique(affiliation.indices, return_inverse=True)
    phi = score_dispersion(observations)
    if affiliation.indices.size == affiliation.n_rows or not use_mixture:
        row = affiliation.row_index
        n = sum_by_group(column, affiliation.weights * observations.count[row], cells.size)
        y = sum_by_group(column, affiliation.weights * observations.score[row], cells.size)
        read = observations.other_scores
        if read is not None:
            of_entry = affiliation.weights * read[:, row]
            read = np.stack([sum_by_group(column, each, cells.size) for each in of_entry])
        return LabelRows(cells, y, n, None, is_exact, certain, phi, other_y=read)
    shape = (affiliation.n_rows, cells.size)
    entries = (affiliation.row_index, column)
    P = csr_array((affiliation.weights, entries), shape=shape)
    other_P = tuple(
        csr_array((_rescaled(affiliation, each), entries), shape=shape)
        for each in (() if others is None else others)
    )
    counts = observations.score, observations.count
    read = observations.other_scores
    return LabelRows(cells, *counts, P, False, certain, phi, other_P, read)


def _is_counted(rows: Affiliation) -> BoolArray:
    """Return which entries do not have a negligible weight."""
    top = np.maximum.reduceat(rows.weights, rows.indptr[:-1])
    return np.asarray(rows.weights >= np.minimum(_NEGLIGIBLE_WEIGHT, top[rows.row_index]))


def _kept(rows: Affiliation, stays: BoolArray) -> Affiliation:
    """Return the rows with some of their entries, renormalised."""
    row = rows.row_index
    kept = sum_by_group(row[stays], rows.weights[stays], rows.n_rows)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row[stays], minlength=rows.n_rows))])
    dropped = rows.dropped + float(1.0 - kept.min())
    weights = rows.weights[stays] / kept[row[stays]]
    return Affiliation(indptr, rows.indices[stays], weights, min(dropped, _MOST_DROPPED))


def _rescaled(rows: Affiliation, weights: FloatArray) -> FloatArray:
    """Return other weights of the entries of rows, so that each row sums to one.

    A row of which another calibration keeps none of the entries stays as it is.
    """
    total = sum_by_group(rows.row_index, weights, rows.n_rows)[rows.row_index]
    is_there = total > 0.0
    return np.where(is_there, weights / np.where(is_there, total, 1.0), rows.weights)
