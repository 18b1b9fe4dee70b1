"""A pool with two free signals, row by row: sums over cells are checked against loops over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.numerics.joint.potential import one_hot
from accuracy_assay.runtime.arrays import FloatArray, IntArray

SPACE = AttributeSpace((Attribute("a", (0, 1, 2)),))
STRATA = AttributeSpace((Attribute("sure", (0, 1)), Attribute("long", (0, 1, 2))))


@dataclass(frozen=True)
class JudgedRows:
    """The cell (an arm and a stratum) and the score of each row; which rows are labelled."""

    cell: IntArray
    score: FloatArray
    labelled: IntArray

    @classmethod
    def make(cls) -> JudgedRows:
        """Return 200 rows, 25 of them labelled, whose score rises with the stratum."""
        rng = np.random.default_rng(10)
        cell = rng.integers(0, SPACE.n_arms * STRATA.n_arms, 200)
        rate = 0.3 + 0.1 * (cell % STRATA.n_arms)
        score = np.clip(rate + 0.2 * rng.standard_normal(200), 0.0, 1.0)
        return cls(cell, score, rng.choice(200, 25, replace=False))

    @property
    def arm(self) -> IntArray:
        return self.cell // STRATA.n_arms

    @property
    def x(self) -> FloatArray:
        """One, then the indicators of both signals."""
        indicators = one_hot(STRATA.codes(self.cell % STRATA.n_arms), STRATA.shape)
        return np.hstack([np.ones((self.cell.size, 1)), indicators])

    @property
    def observations(self) -> Observations:
        rows = Affiliation.exact(self.cell[self.labelled])
        support = Support.count(SPACE, STRATA, self.cell)
        return Observations.from_instances(support, rows, self.score[self.labelled])

    def coefficients(self, labelled: IntArray, worth: float) -> FloatArray:
        """Return ridge coefficients of ``labelled`` rows; each stratum is drawn by ``worth``."""
        x, y = self.x[labelled], self.score[labelled] - 0.5
        penalty = np.diag([1.0, *[worth] * (x.shape[1] - 1)])
        return np.asarray(np.linalg.solve(x.T @ x + penalty, x.T @ y))

    def without_each(self, worth: float) -> FloatArray:
        """Return the coefficients without each of the labelled rows in turn, (25, P)."""
        rows = self.labelled
        return np.stack([self.coefficients(rows[rows != i], worth) for i in rows])
