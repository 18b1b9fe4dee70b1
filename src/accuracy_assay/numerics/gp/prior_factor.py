"""A low-rank factor of the kernel matrix of very many cells, from columns chosen at random.

Notation: see the sub-package. Besides: F (T, rank) with K near F F' + a diagonal. Columns are
chosen with probability proportional to what the factor so far leaves of each cell's variance
(randomly pivoted Cholesky; Chen, Epperly, Tropp and Webber, 2023), many at a time. The work is
matrix products, T rank^2 in all, and no array has the size of all pairs of cells.

Leave out terms of full rank, such as the arms' own (a log-variance of minus infinity in theta);
the caller adds them exactly.
"""

from dataclasses import dataclass

import jax
import numpy as np
import numpy.typing as npt
from scipy.linalg import cholesky, solve_triangular

from accuracy_assay.numerics.gp.anova import CellArrays, Layout, kernel_diagonal
from accuracy_assay.numerics.gp.kernel_matrix import kernel, tables_of
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.padding import padded_size
from accuracy_assay.runtime.precision import precision
from accuracy_assay.runtime.programs import program

__all__ = ["Factor", "PriorFactor", "factorise_prior", "take_cells"]

_PIVOTS_AT_ONCE = 128
"""Columns chosen together: matrix products of this width are as fast as wider ones."""
_CELLS_AT_ONCE = 8192
"""Rows of kernel columns in memory: 8 MB for each table of the kernel."""
_JITTER = 1e-9
"""Relative to the mean variance of a block of pivots: covers rounding if two are nearly equal."""
_SPENT = 1e-6
"""A cell with less than this share of its variance left is no pivot: the rest is rounding."""

Factor = npt.NDArray[np.float32]

_kernel = program(kernel)


@dataclass(frozen=True, eq=False)
class PriorFactor:
    """K of some cells as F F' + diag(rest).

    Parameters
    ----------
    F, rest
        The factor (T, rank) and what it leaves of each cell's variance, (T,).
    pivots
        The cells whose columns were chosen, (rank,).
    root
        F at the pivots, lower triangular, (rank, rank).
    theta, layout
        The hyper-parameters and where each is.
    """

    F: Factor
    rest: FloatArray
    pivots: CellArrays
    root: FloatArray
    theta: FloatArray
    layout: Layout

    def at(self, cells: CellArrays) -> tuple[Factor, FloatArray]:
        """Return factor and rest of any other cells."""
        root = self.root.astype(np.float32)  # it is F at the pivots: no digit is lost
        made = np.empty((cells.arm.shape[0], root.shape[0]), np.float32)
        for rows in _parts(made.shape[0]):
            block = _columns(self.theta, take_cells(cells, rows), self.pivots, self.layout)
            right = block.astype(np.float32).T
            made[rows] = solve_triangular(root, right, lower=True, overwrite_b=True).T
        return made, _rest(_variance(self.theta, cells, self.layout), made)


def factorise_prior(
    theta: FloatArray, cells: CellArrays, layout: Layout, rank: int, rng: np.random.Generator
) -> PriorFactor:
    """Return the factor at cells without padding.

    It has ``rank`` columns, or fewer if those leave no variance.
    """
    variance = _variance(theta, cells, layout)
    rest = variance.copy()
    F = np.zeros((variance.size, min(rank, variance.size)), np.float32)
    chosen: list[IntArray] = []
    done = 0
    while done < F.shape[1]:
        is_left = rest > _SPENT * variance
        count = min(_PIVOTS_AT_ONCE, F.shape[1] - done, int(is_left.sum()))
        if count == 0:
            break
        chance = np.where(is_left, rest, 0.0)
        pivots = _first_to_finish(chance, count, rng)
        at = take_cells(cells, pivots)
        known = F[pivots, :done]
        among = _columns(theta, at, at, layout) - known.astype(np.float64) @ known.T
        among[np.diag_indices(count)] += _JITTER * np.trace(among) / count
        root = cholesky(among, lower=True)
        for rows in _parts(variance.size):
            block = _columns(theta, take_cells(cells, rows), at, layout)
            left = block - F[rows, :done] @ known.T
            new = solve_triangular(root, left.T, lower=True, overwrite_b=True).T
            F[rows, done : done + count] = new
            rest[rows] -= np.einsum("tm,tm->t", new, new)
        chosen.append(pivots)
        done += count
    every = np.concatenate(chosen)
    root = np.tril(F[every, :done]).astype(np.float64)
    F = F[:, :done]
    return PriorFactor(F, _rest(variance, F), take_cells(cells, every), root, theta, layout)


def _first_to_finish(chance: FloatArray, count: int, rng: np.random.Generator) -> IntArray:
    """Return cells that are drawn without replacement, with probabilities proportional to chance.

    Each cell takes an exponential time at its rate, and the first ones are taken (Efraimidis and
    Spirakis, 2006). That has the law of drawing one after another, but rates that differ in the
    third digit take nearly the same cells: the same labels give nearly the same factor.
    """
    with np.errstate(divide="ignore"):
        time = rng.standard_exponential(chance.size) / chance
    first = np.argpartition(time, count - 1)[:count]
    return np.asarray(first[np.argsort(time[first], kind="stable")])


def take_cells(cells: CellArrays, at: IntArray | slice) -> CellArrays:
    """Return some of the cells, as NumPy arrays."""
    taken: CellArrays = jax.tree.map(lambda part: np.asarray(part)[at], cells)
    return taken


def _parts(count: int) -> list[slice]:
    starts = range(0, count, _CELLS_AT_ONCE)
    return [slice(start, min(start + _CELLS_AT_ONCE, count)) for start in starts]


def _rest(variance: FloatArray, F: Factor) -> FloatArray:
    explained = np.einsum("tm,tm->t", F, F, dtype=np.float64)
    return np.asarray(np.maximum(variance - explained, 0.0))


def _variance(theta: FloatArray, cells: CellArrays, layout: Layout) -> FloatArray:
    """Return the prior variance of each cell."""
    return kernel_diagonal(theta, cells, layout)


def _columns(
    theta: FloatArray, rows: CellArrays, columns: CellArrays, layout: Layout
) -> FloatArray:
    """Return K between cells, read-only, both sides padded to compile for few shapes."""
    n_rows, n_columns = rows.arm.shape[0], columns.arm.shape[0]
    size = padded_size(n_rows)
    width = -(-n_columns // _PIVOTS_AT_ONCE) * _PIVOTS_AT_ONCE
    with precision():
        block = _kernel(tables_of(theta, layout), _padded(rows, size), _padded(columns, width))
        return np.asarray(block)[:n_rows, :n_columns]


def _padded(cells: CellArrays, size: int) -> CellArrays:
    extra = size - cells.arm.shape[0]

    def pad(part: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        return np.pad(part, ((0, extra), *((0, 0) for _ in part.shape[1:])), mode="edge")

    padded: CellArrays = jax.tree.map(lambda part: pad(np.asarray(part)), cells)
    return padded
