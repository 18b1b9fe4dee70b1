"""Which arms each row may belong to, before and after its label is known.

Exact attributes need no calibration. If some are guessed, or revealed by the label, P(a|x) comes
from a calibration that was learned from rows with gold attributes.

Notation: n rows, the first ``n_pool`` of which are the pool; K attributes; codes (n, K) hold -1 if
unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.protocols import Calibration, Calibrator, DoubtfulCalibration, OnSteps
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Arms", "learn_calibration"]


@dataclass(frozen=True, eq=False)
class Arms:
    """The arms of the rows of a problem.

    Parameters
    ----------
    evidence
        What is known about every row, the pool's first.
    gold
        Codes that are certain from the start, those of a seed set, (n, K).
    n_pool
        Rows of the pool.
    calibration
        What turns guesses into P(a|x); None if every attribute of the pool is exact.
    """

    evidence: Evidence
    gold: IntArray
    n_pool: int
    calibration: Calibration | None = None

    @classmethod
    def exact(cls, space: AttributeSpace, codes: IntArray, n_pool: int) -> Arms:
        """Return the arms of rows whose attributes are all known."""
        return cls(Evidence.exact(space, codes), codes, n_pool)

    @classmethod
    def read(
        cls,
        evidence: Evidence,
        gold: IntArray,
        n_pool: int,
        calibrate: Callable[[], Calibration],
    ) -> Arms:
        """Return the arms; ``calibrate`` is called only if the pool has guesses."""
        is_exact = all(
            bool(((gold[:n_pool, k] >= 0) | _is_known(column[:n_pool])).all())
            for k, column in enumerate(evidence.columns)
        )
        return cls(evidence, gold, n_pool, None if is_exact else calibrate())

    @property
    def space(self) -> AttributeSpace:
        """The attribute space."""
        return self.evidence.space

    @cached_property
    def candidate(self) -> Affiliation:
        """The arms of the pool's rows before any label; gold codes are certain."""
        return self._affiliate(_first_rows(self.evidence, self.n_pool), self.gold[: self.n_pool])

    def labelled(self, rows: IntArray | None = None, known: IntArray | None = None) -> Affiliation:
        """Return the arms of labelled rows (default: all); labels revealed ``known`` (m, K)."""
        evidence = self.evidence if rows is None else self.evidence.take(rows)
        gold = self.gold if rows is None else self.gold[rows]
        return self._affiliate(evidence, gold if known is None else _overlaid(gold, known))

    def other_weights(self, rows: IntArray, arms: Affiliation) -> FloatArray | None:
        """Return the weights of the entries of ``arms`` by other calibrations, (B, entries).

        ``arms`` are those of the given rows. None if nobody knows.
        """
        if not isinstance(self.calibration, DoubtfulCalibration):
            return None
        return self.calibration.other_weights(self.evidence.take(rows), arms)

    def _affiliate(self, evidence: Evidence, certain: IntArray) -> Affiliation:
        if self.calibration is not None:
            return self.calibration.affiliation(evidence, certain)
        return Affiliation.exact(self.space.arm_index(_overlaid(evidence.predicted(), certain)))


def learn_calibration(
    calibrator: Calibrator,
    evidence: Evidence,
    gold: IntArray,
    n_pool: int,
    seed_rows: IntArray,
    rng: np.random.Generator,
    on_steps: OnSteps | None = None,
) -> Calibration:
    """Return the calibration learned from the seed rows' gold and the pool's evidence."""
    return calibrator.fit(
        evidence.take(seed_rows),
        gold[seed_rows],
        _first_rows(evidence, n_pool),
        rng,
        on_steps,
    )


def _is_known(column: IntArray | FloatArray) -> BoolArray:
    """Return which rows have an exact value, (n,)."""
    return column >= 0 if column.ndim == 1 else np.zeros(column.shape[0], dtype=bool)


def _first_rows(evidence: Evidence, n_rows: int) -> Evidence:
    return evidence if n_rows == evidence.n_rows else evidence.take(slice(0, n_rows))


def _overlaid(codes: IntArray, known: IntArray) -> IntArray:
    """Return ``known`` codes if there are any, else ``codes``."""
    return np.where(known >= 0, known, codes)
