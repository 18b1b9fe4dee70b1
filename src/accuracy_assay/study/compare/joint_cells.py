"""The joint posterior of the pool's cells for services that were fitted together.

It is what plans and strategies read. With M the shared surface over cells c of arms a(c), and the
share g_c of rows that services answer differently, a service's accuracy in a cell is

    rho_s(c) = M_c + g_c e_s(a(c)),   Cov = w_s^2 Cov_M(c, c') + sigma_s^2 g_c g_c' Cov_e(a, a')

with w_s how much its accuracy moves with the shared one. The guide of all services has the mean of
their covariances: it is that of a typical one.

Notation: T cells, A listed arms, k services.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.joint_fit import JointFit
from accuracy_assay.study.compare.responses import posterior_of

__all__ = ["JointCells", "KnownCells"]

_LEAST_NOISE = 1e-6
"""Smallest variance of a label: a cell that is surely right leaves none, and must not divide."""


@dataclass(frozen=True, eq=False)
class KnownCells:
    """A posterior as a surface remembers it, so that strategies and plans find it."""

    posterior: CellPosterior


@dataclass(frozen=True, eq=False)
class JointCells:
    """The cells of services fitted together.

    Parameters
    ----------
    fit
        The joint fit.
    contested
        Share of each cell's rows that services answer differently, (T,).
    """

    fit: JointFit
    contested: FloatArray

    @cached_property
    def _shared(self) -> CellPosterior:
        return posterior_of(self.fit.shared)

    @cached_property
    def _arm(self) -> IntArray:
        """Position in the surface of the arm of each cell, (T,)."""
        support = self._shared.support
        at = np.searchsorted(self.fit.shared.arms, support.arms)
        return np.asarray(at[support.arm_of_cell], dtype=np.int64)

    @property
    def guide(self) -> KnownCells:
        """The posterior of a typical service."""
        noise = float(np.diag(self.fit.effects.covariance).mean())
        moves = float(np.mean(self.fit.sway**2))
        return self._with(self._shared.rate, moves, noise)

    def apart(self, differ: FloatArray) -> KnownCells:
        """Return cells in which a label is worth what it says of the services' order.

        ``differ`` is how much of the order of the services each cell's rows decide, (T,); labels
        that are drawn by its root say most about it.
        """
        shared, none = self._shared, np.zeros(differ.size)

        def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
            return np.zeros((rows.size, columns.size))

        noise = np.maximum(differ, _LEAST_NOISE)
        return KnownCells(
            CellPosterior(
                shared.support,
                shared.rate,
                none,
                noise,
                shared.labelled,
                covariance,
                is_of_order=True,
            )
        )

    def of_service(self, service: int, surface: AccuracySurface) -> KnownCells:
        """Return the posterior of one service, given its surface."""
        own = (surface.mean - self.fit.shared.mean)[self._arm]
        rate = np.clip(self._shared.rate + own, 0.0, 1.0)
        noise = float(self.fit.effects.covariance[service, service])
        return self._with(rate, float(self.fit.sway[service] ** 2), noise)

    def _with(self, rate: FloatArray, moves: float, noise: float) -> KnownCells:
        """Return the posterior with w^2 and sigma^2."""
        shared, effects = self._shared, self.fit.effects
        arm, contested = self._arm, self.contested

        def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
            own = effects.between(arm[rows], arm[columns])
            own *= noise * contested[rows][:, None] * contested[columns]
            return np.asarray(moves * shared.covariance(rows, columns) + own)

        own = effects.spread(arm) * noise * contested**2
        variance = moves * shared.variance + own
        coin = np.maximum(rate * (1.0 - rate) - variance, _LEAST_NOISE)
        return KnownCells(
            CellPosterior(
                shared.support, rate, variance, coin + variance, shared.labelled, covariance
            )
        )
