"""Surfaces of services whose draws were made together: how their errors go together.

Draw number i of every surface is one state of all services, so the correlation of two averages is
that of their draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.answers import difference_bounds

__all__ = ["JointDraws", "RowAnswers"]


@dataclass(frozen=True, eq=False)
class RowAnswers:
    """What services answered, where accuracies are those of a pool's own rows.

    Parameters
    ----------
    arm, codes, scores
        Position of the arm (n,), answers (n, k) and scores (n, k) of the labelled rows.
    pool_arm, pool_codes
        The same of the pool's rows, (N,) and (N, k).
    """

    arm: IntArray
    codes: IntArray
    scores: FloatArray
    pool_arm: IntArray
    pool_codes: IntArray


@dataclass(frozen=True, eq=False)
class JointDraws:
    """Surfaces, in the order of the services; and their answers, None if these bound nothing."""

    surfaces: tuple[AccuracySurface, ...]
    answers: RowAnswers | None = None

    @cached_property
    def _draws(self) -> FloatArray:
        """Draws of all services, (k, S, A)."""
        return np.stack([draws_of(surface) for surface in self.surfaces]).astype(np.float32)

    def correlation(
        self, weight: FloatArray, variance: FloatArray, services: Sequence[int]
    ) -> FloatArray:
        """Return the correlations of services' averages with weights (Q, A), (Q, m, m)."""
        drawn = self._draws[list(services)] @ weight.T.astype(np.float32)  # (m, S, Q)
        away = np.asarray(drawn - drawn.mean(axis=1, keepdims=True), dtype=np.float64)
        spread = np.sqrt(np.mean(away**2, axis=1, keepdims=True))
        away /= np.where(spread > 0.0, spread, 1.0)
        found = np.einsum("isq,jsq->qij", away, away, optimize=True) / away.shape[1]
        found[:, np.arange(len(drawn)), np.arange(len(drawn))] = 1.0
        return np.asarray(np.clip(found, -1.0, 1.0))

    def bounds(
        self, weight: FloatArray, first: int, second: int
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return the least and the largest difference of two services that rows allow."""
        known = self.answers
        if known is None:
            return None
        at = [first, second]
        share = weight / np.maximum(self.surfaces[0].support, 1.0)
        labelled = (known.arm, known.codes[:, at], known.scores[:, at])
        return difference_bounds(share, labelled, (known.pool_arm, known.pool_codes[:, at]))
