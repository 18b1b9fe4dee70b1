"""Labelled rows, and a pool with guessed attributes that comes in parts: to a problem.

The pool is read twice. First for a sample of its rows, from which with the labelled rows' gold the
calibration is learned; then to count its cells by what the calibration makes of each row. A pool
with no more rows than the sample gives what it would as a whole, but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.strata import stratify
from accuracy_assay.files.parquet_rows import OnShare
from accuracy_assay.numerics.grouping import sum_by_number
from accuracy_assay.protocols import Calibration, Calibrator
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.engine import LOCAL, Engine
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.condense import condense_strata, is_crowded
from accuracy_assay.study.read.guessed_parts import GuessedPool, merge_sizes
from accuracy_assay.study.read.part_reader import MergedStrata, PartReader
from accuracy_assay.study.read.pool_parts import PoolPart
from accuracy_assay.study.read.prepare import cluster_column, known_codes
from accuracy_assay.study.read.problem import Problem

__all__ = ["PartedTables"]


@dataclass(frozen=True, eq=False)
class PartedTables:
    """The labelled rows in memory and the pool in parts.

    Parameters
    ----------
    labelled, scores
        The labelled rows, and the score of each.
    parts
        The rows of the pool.
    reader
        How attributes are read.
    signals, cluster
        Columns of the free signals; the column of rows that belong together in a list, empty
        where rows are independent.
    engine, on_share
        Where the work on parts is done, and who is told which share of it is.
    """

    labelled: pl.DataFrame
    scores: FloatArray
    parts: Sequence[PoolPart]
    reader: PartReader
    signals: Sequence[str] = ()
    cluster: Sequence[str] = ()
    engine: Engine = LOCAL
    on_share: OnShare | None = None

    def problem(self, calibrator: Calibrator, is_pool: bool, seed: int) -> Problem:
        """Return the problem, whose rows are the labelled ones alone."""
        pool = GuessedPool(self.parts, self._with_strata(), self.engine, self.on_share)
        evidence = pool.reader.evidence_of(self.labelled)
        gold = known_codes(pool.reader.space, self.labelled)
        calibration = None
        if not pool.is_exact():
            calibration = _learn(calibrator, evidence, gold, pool, seed)
        cells, size = pool.cell_sizes(calibration)
        support = Support(pool.reader.space, pool.reader.strata, cells, size, is_pool)
        stratum = pool.reader.stratum_of(self.labelled)
        return Problem.of_support(Arms(evidence, gold, 0, calibration), stratum, support)

    def _with_strata(self) -> PartReader:
        """Return the reader with strata of all signals, or of one or two in place of many."""
        columns = [*self.signals, *self.cluster]
        if not columns:
            return self.reader
        # Cuts of numbers are quantiles of the whole pool; signals alone are few numbers per row.
        free = pl.concat([part.read(columns) for part in self.parts])
        every = cluster_column(self.cluster, free, self.labelled)
        reader = replace(self.reader, signals=stratify(free, self.signals, every))
        if reader.signals is None or not is_crowded(reader.signals):
            return reader
        stratum = reader.stratum_of(self.labelled)
        assert stratum is not None
        labelled = sum_by_number(stratum, np.ones(stratum.size))
        pool = GuessedPool(self.parts, reader, self.engine)
        old, count = merge_sizes([pool.stratum_sizes(), labelled])
        rows, right = np.searchsorted(old, stratum).astype(np.int64), self.scores
        strata, new = condense_strata(reader.signals, old, rows, right, 1.0 - right, count)
        new = np.zeros_like(old) if new is None else new
        return replace(reader, merged=MergedStrata(strata, old, new))


def _learn(
    calibrator: Calibrator, evidence: Evidence, gold: IntArray, pool: GuessedPool, seed: int
) -> Calibration:
    """Return the calibration, learned from labelled rows with all their gold and a sample."""
    seed_rows = np.flatnonzero((gold >= 0).all(axis=1))
    sample = pool.sample(np.random.default_rng([seed, 5]))
    rng = np.random.default_rng([seed, 1])
    return calibrator.fit(evidence.take(seed_rows), gold[seed_rows], sample, rng)
