"""How a surface responds to its labels: what its averages owe to each labelled row.

Notation: A listed arms, n labelled rows, T cells of the pool. An average with weights w (A,) gives
cell t the weight omega_t. A row's score is right with the rate q_i of its cells, P_i (T,), and has
the variance s_i around it. If it were higher by one, the average would be higher by

    h_i = sum over its cells of P_ij s_j / s_i times what a label of cell j moves omega' rho
          (+ w_a / N_a if the row counts as itself in arm a of N_a rows)

to the first order. The rest of the average's variance is that of the coins of rows without a
label, and what no label has told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["KeptResponses", "Responses", "RowResponses", "pool_rates", "posterior_of"]

_CELLS_AT_ONCE = 2048
"""Pool cells whose covariances are held at once. Bounds memory: 16 MB for 1,000 labelled cells."""
_LEAST_NOISE = 1e-6
"""Smallest variance of a score: a rate of 0 or 1 has none, which must not divide."""


class RowResponses(Protocol):
    """What one surface owes to its labelled rows; the fields are those of `Responses`."""

    @property
    def arm(self) -> IntArray: ...  # noqa: D102

    @property
    def rate(self) -> FloatArray: ...  # noqa: D102

    @property
    def noise(self) -> FloatArray: ...  # noqa: D102

    @property
    def coin(self) -> FloatArray: ...  # noqa: D102

    def to_rows(self, weight: FloatArray) -> FloatArray:
        """Return the response of averages with weights (Q, A) to each labelled row, (Q, n)."""
        ...


@dataclass(frozen=True, eq=False)
class KeptResponses:
    """Responses as a file has them: those of every listed arm to every labelled row, (A, n)."""

    rows: FloatArray
    arm: IntArray
    rate: FloatArray
    noise: FloatArray
    coin: FloatArray

    def to_rows(self, weight: FloatArray) -> FloatArray:
        """Return the response of averages with weights (Q, A) to each labelled row, (Q, n)."""
        return np.asarray(weight @ self.rows)


@dataclass(frozen=True, eq=False)
class Responses:
    """What one surface owes to its labelled rows.

    Parameters
    ----------
    posterior
        The joint posterior of the pool's cells.
    share
        The weight of each cell in its listed arm, (A, T).
    seen, load
        The labelled cells (J,), and P_ij s_j / s_i of each labelled row over them, (n, J).
    arm, own
        Position of each labelled row's arm, its first if it may have several, and what its own
        score adds to the arm, 1 / N_a or zero, (n,) each.
    rate, noise
        q_i and s_i of each labelled row, (n,).
    coin
        Variance of each listed arm that is due to the coins of its rows without a label, (A,).
    """

    posterior: CellPosterior
    share: csr_array
    seen: IntArray
    load: csr_array
    arm: IntArray
    own: FloatArray
    rate: FloatArray
    noise: FloatArray
    coin: FloatArray

    @classmethod
    def of(cls, surface: AccuracySurface, labelled: Affiliation, n_strata: int) -> Responses:
        """Return the responses of a surface, given the cells of its labelled rows."""
        posterior = posterior_of(surface)
        rows = _on(posterior, labelled, n_strata)
        support = posterior.support
        is_pool = surface.details.get("target") == "pool"
        free = posterior.unlabelled if is_pool else support.size
        noise = np.maximum(posterior.label_variance - posterior.variance, 0.0)
        total, arm = support.arm_size, support.arm_of_cell
        listed = np.searchsorted(surface.arms, support.arms)
        coin = np.zeros(surface.arms.shape)
        if is_pool:
            coin[listed] = sum_by_group(arm, free * noise, total.size) / total**2
        seen, column = np.unique(rows.indices, return_inverse=True)
        P = csr_array((rows.data, column, rows.indptr), shape=(rows.shape[0], seen.size))
        s = np.maximum(P @ noise[seen], _LEAST_NOISE)
        own_arm = labelled.indices[labelled.indptr[:-1]] // n_strata
        counts_itself = is_pool & (np.diff(labelled.indptr) == 1)
        size = np.maximum(support.size_of(own_arm), 1.0)
        entries = (free / total[arm], (listed[arm], np.arange(arm.size)))
        return cls(
            posterior,
            csr_array(entries, shape=(surface.arms.size, arm.size)),
            seen,
            csr_array(P * noise[seen] / s[:, None]),
            np.searchsorted(surface.arms, own_arm),
            np.where(counts_itself, 1.0 / size, 0.0),
            P @ posterior.rate[seen],
            s,
            coin,
        )

    def to_rows(self, weight: FloatArray) -> FloatArray:
        """Return the response of averages with weights (Q, A) to each labelled row, (Q, n)."""
        through = np.asarray((self.load @ self._to_cells(weight).T).T)
        return through + weight[:, self.arm] * self.own

    def _to_cells(self, weight: FloatArray) -> FloatArray:
        """Return the response of averages to a label of each labelled cell, (Q, J)."""
        omega = np.asarray((self.share.T @ weight.T).T)
        known, seen = self.posterior, self.seen
        if known.reach is not None:
            return known.reach(omega)[:, seen]
        used = np.flatnonzero(omega.any(axis=0))
        total = np.zeros((weight.shape[0], seen.size))
        for start in range(0, used.size if seen.size else 0, _CELLS_AT_ONCE):
            part = used[start : start + _CELLS_AT_ONCE]
            total += omega[:, part] @ known.covariance(part, seen)
        return total / np.maximum(known.label_variance[seen], _LEAST_NOISE)


def posterior_of(surface: AccuracySurface) -> CellPosterior:
    """Return the joint posterior of the cells; without one, arms are independent cells."""
    if isinstance(surface.memory, HasPosterior):
        return surface.memory.posterior
    return CellPosterior.of_independent_arms(surface)


def pool_rates(surface: AccuracySurface, rows: Affiliation, n_strata: int) -> FloatArray:
    """Return the expected score of each of some rows, (n,), given their cells."""
    posterior = posterior_of(surface)
    return np.asarray(_on(posterior, rows, n_strata) @ posterior.rate)


def _on(posterior: CellPosterior, rows: Affiliation, n_strata: int) -> csr_array:
    """Return rows over the posterior's cells, (n, T); cells that it does not know are left out."""
    known, cells = posterior.support, posterior.own_cells(rows.indices, n_strata)
    at = np.minimum(np.searchsorted(known.cells, cells), known.cells.size - 1)
    is_known = known.cells[at] == cells
    entries = (rows.weights[is_known], (rows.row_index[is_known], at[is_known]))
    return csr_array(entries, shape=(rows.n_rows, known.cells.size))
