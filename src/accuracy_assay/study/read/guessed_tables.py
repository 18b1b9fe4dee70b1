"""Labelled rows and a pool with guessed attributes: from tables to a problem.

A pool of more than 200,000 rows is never processed as a whole, whether in memory or in Parquet. It
is read twice, part by part: first for a sample of its rows, which teaches the calibration together
with the labelled rows' gold; then to count its cells by the calibrated probabilities. A pool no
larger than the sample gives the same result as a whole, up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.strata import stratify
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.files.tables import Rows, read_table, require_unique
from accuracy_assay.files.unique_ids import require_unique_rows
from accuracy_assay.numerics.grouping import sum_by_number
from accuracy_assay.protocols import Calibration, Calibrator
from accuracy_assay.registry import build_calibrator
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.read.arms import Arms, learn_calibration
from accuracy_assay.study.read.condense import condense_strata, is_crowded
from accuracy_assay.study.read.guessed_parts import GuessedPool, merge_sizes
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.part_reader import MergedStrata, PartReader
from accuracy_assay.study.read.pool_parts import PART_ROWS, PoolPart, file_parts, frame_parts
from accuracy_assay.study.read.problem import LabelledProblem, LabelledRows, Problem
from accuracy_assay.study.read.spaces import guessed_space, known_codes
from accuracy_assay.study.read.tables import (
    LabelledTables,
    check_weight,
    cluster_column,
    divide,
    part_unlabelled,
    refuse_leaks,
    require,
)

__all__ = ["LargePool", "PartedTables", "read_guessed"]


def read_guessed(tables: LabelledTables, how: How) -> LabelledProblem:
    """Return the problem with guessed attributes; the labelled rows come last."""
    columns, parts = tables.columns, tables.parts
    calibrator = build_calibrator(how.calibration)
    score = tables.scores.to_numpy()
    space = guessed_space(columns.attributes, parts, columns.evidence)
    if tables.pool is not None and tables.pool.height > PART_ROWS:
        reader = PartReader(space, columns.evidence, columns.from_label, tables.pool.columns)
        rows = frame_parts(tables.pool)
        parted = PartedTables(columns, tables.labelled, score, rows, reader, how)
        return parted.problem(calibrator)
    every = Evidence.concatenate(
        [
            Evidence.from_frame(t, space, columns.evidence, from_label=columns.from_label)
            for t in parts
        ]
    )
    n_pool = parts[0].height
    labelled = every.n_rows - score.size + np.arange(score.size)
    gold = np.full((every.n_rows, len(space.attributes)), -1, dtype=np.int64)
    gold[labelled] = known_codes(space, tables.labelled)
    seed_rows = np.flatnonzero((gold >= 0).all(axis=1))

    def calibrate() -> Calibration:
        rng = np.random.default_rng([how.seed, 1])
        return learn_calibration(calibrator, every, gold, n_pool, seed_rows, rng)

    clusters = cluster_column(columns.cluster, *parts)
    strata, stratum = divide(parts, columns.signal_columns, clusters)
    arms = Arms.read(every, gold, n_pool, calibrate)
    problem = Problem.build(arms, strata, stratum, is_pool=how.is_pool)
    return LabelledProblem(problem, LabelledRows(labelled, score))


@dataclass(frozen=True, eq=False)
class LargePool:
    """The labelled rows in memory, and a pool in Parquet that is too large for it."""

    columns: Columns
    labelled: pl.DataFrame
    pool: ParquetRows

    @classmethod
    def find(cls, columns: Columns, rows: Rows, pool: Rows) -> LargePool | None:
        """Return the rows if the pool is Parquet and too large to process as a whole.

        Without a pool, the rows are the pool if some have no label.
        """
        if columns.missing_prediction == "drop" and columns.y_pred is not None:
            return None  # which rows count is decided row by row
        source, what = (rows, "rows") if pool is None else (pool, "pool")
        files = ParquetRows.find(source, what=what)
        if files is None or not files.is_askable or files.n_rows <= PART_ROWS:
            return None
        label = columns.label
        if pool is not None:
            return cls(columns, part_unlabelled(read_table(rows), None, label)[0], files)
        if label is None or label not in files.schema:
            return None
        is_known = f"WHERE {files.column(label)} IS NOT NULL"
        if files.ask(["count(*)"], is_known).item() in (0, files.n_rows):
            return None
        names = list(files.schema)
        found = files.ask([files.column(name) for name in names], is_known)
        labelled = files.typed(found.rename(dict(zip(found.columns, names, strict=True))))
        return cls(columns, labelled, files)

    def read(self, how: How) -> LabelledProblem:
        """Return the problem, whose rows are only the labelled ones."""
        columns = self.columns
        require(columns, self.labelled, self.pool.head)
        check_weight(columns, self.pool.head)
        if columns.id is not None:
            require_unique(self.labelled.get_column(columns.id))
            require_unique_rows(self.pool, columns.id)
        missing = columns.missing_answers(self.labelled)
        scores = columns.scores(self.labelled)
        refuse_leaks(columns, self.labelled, scores)
        evidence, from_label = columns.evidence, columns.from_label
        reader = PartReader(self._space(), evidence, from_label, list(self.pool.schema))
        parts = file_parts(self.pool)
        parted = PartedTables(columns, self.labelled, scores.to_numpy(), parts, reader, how)
        return replace(parted.problem(build_calibrator(how.calibration)), missing=missing)

    def _space(self) -> AttributeSpace:
        """Return the space, with values of undeclared attributes read off the files."""
        attributes = self.columns.attributes
        names = [a for a in attributes if isinstance(a, str) and a in self.pool.schema]
        seen = self.pool.head
        if names:
            found = self.pool.ask([self.pool.column(name) for name in names], "GROUP BY ALL")
            values = self.pool.typed(found.rename(dict(zip(found.columns, names, strict=True))))
            seen = pl.concat([seen, values], how="diagonal")
        return guessed_space(attributes, [seen, self.labelled], self.columns.evidence)


@dataclass(frozen=True, eq=False)
class PartedTables:
    """The labelled rows in memory, with their scores, and the pool in parts."""

    columns: Columns
    labelled: pl.DataFrame
    scores: FloatArray
    parts: Sequence[PoolPart]
    reader: PartReader
    how: How

    def problem(self, calibrator: Calibrator) -> LabelledProblem:
        """Return the problem, whose rows are only the labelled ones."""
        pool = GuessedPool(self.parts, self._with_strata(), self.how.engine, self.how.on_share)
        evidence = pool.reader.evidence_of(self.labelled)
        gold = known_codes(pool.reader.space, self.labelled)
        calibration = None
        if not pool.is_exact():
            calibration = _learn(calibrator, evidence, gold, pool, self.how.seed)
        cells, size = pool.cell_sizes(calibration)
        space, strata = pool.reader.space, pool.reader.strata
        support = Support(space, strata, cells, size, self.how.is_pool)
        stratum = pool.reader.stratum_of(self.labelled)
        problem = Problem.of_support(Arms(evidence, gold, 0, calibration), stratum, support)
        return LabelledProblem(problem, LabelledRows(np.arange(self.scores.size), self.scores))

    def _with_strata(self) -> PartReader:
        """Return the reader with strata of all signals, or of one or two instead of many."""
        signals, cluster = self.columns.signal_columns, self.columns.cluster
        names = [*signals, *([] if cluster is None else [cluster])]
        if not names:
            return self.reader
        # Cuts are quantiles of the whole pool; signals are only a few numbers per row.
        free = pl.concat([part.read(names) for part in self.parts])
        every = cluster_column(cluster, free, self.labelled)
        reader = replace(self.reader, signals=stratify(free, signals, every))
        if reader.signals is None or not is_crowded(reader.signals):
            return reader
        stratum = reader.stratum_of(self.labelled)
        assert stratum is not None
        labelled = sum_by_number(stratum, np.ones(stratum.size))
        pool = GuessedPool(self.parts, reader, self.how.engine)
        old, count = merge_sizes([pool.stratum_sizes(), labelled])
        rows, right = np.searchsorted(old, stratum).astype(np.int64), self.scores
        strata, new = condense_strata(reader.signals, old, rows, right, 1.0 - right, count)
        new = np.zeros_like(old) if new is None else new
        return replace(reader, merged=MergedStrata(strata, old, new))


def _learn(
    calibrator: Calibrator, evidence: Evidence, gold: IntArray, pool: GuessedPool, seed: int
) -> Calibration:
    """Return the calibration learned from labelled rows with complete gold and a sample."""
    seed_rows = np.flatnonzero((gold >= 0).all(axis=1))
    sample = pool.sample(np.random.default_rng([seed, 5]))
    rng = np.random.default_rng([seed, 1])
    return calibrator.fit(evidence.take(seed_rows), gold[seed_rows], sample, rng)
