"""Labelled rows and a pool where attributes are guessed: from tables to a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.strata import stratify
from accuracy_assay.protocols import Calibration, Calibrator
from accuracy_assay.runtime.engine import LOCAL, Engine
from accuracy_assay.study.read.arms import Arms, learn_calibration
from accuracy_assay.study.read.part_reader import PartReader
from accuracy_assay.study.read.parted_tables import PartedTables
from accuracy_assay.study.read.pool_parts import PART_ROWS, frame_parts
from accuracy_assay.study.read.prepare import cluster_column, guessed_space, known_codes
from accuracy_assay.study.read.problem import Problem

__all__ = ["GuessedTables"]


@dataclass(frozen=True)
class GuessedTables:
    """The labelled rows and the pool, None where the labelled rows are all there is.

    Parameters
    ----------
    labelled, pool
        The tables.
    attributes
        Columns that span the surface, or declared attributes.
    signals, cluster
        Columns of the free signals; the column of rows that belong together in a list, empty
        where rows are independent.
    scores
        The score of each labelled row.
    """

    labelled: pl.DataFrame
    pool: pl.DataFrame | None
    attributes: Sequence[str | Attribute]
    signals: Sequence[str]
    cluster: Sequence[str]
    scores: pl.Series

    def problem(
        self,
        evidence: Mapping[str, str],
        from_label: Sequence[str],
        calibrator: Calibrator,
        is_pool: bool,
        seed: int,
        engine: Engine = LOCAL,
    ) -> Problem:
        """Return the problem where attributes are guessed; the labelled rows come last.

        Of a pool of more than 200,000 rows none is kept: it is read part by part, and ``engine``
        counts its cells (`accuracy_assay.study.read.parted_tables`).
        """
        tables = [self.labelled] if self.pool is None else [self.pool, self.labelled]
        space = guessed_space(self.attributes, tables, evidence)
        if self.pool is not None and self.pool.height > PART_ROWS:
            reader = PartReader(space, evidence, from_label, self.pool.columns)
            parted = PartedTables(
                self.labelled,
                self.scores.to_numpy(),
                frame_parts(self.pool),
                reader,
                self.signals,
                self.cluster,
                engine,
            )
            return parted.problem(calibrator, is_pool, seed)
        every = Evidence.concatenate(
            [Evidence.from_frame(t, space, evidence, from_label=from_label) for t in tables]
        )
        n_pool = tables[0].height
        gold = np.full((every.n_rows, len(space.attributes)), -1, dtype=np.int64)
        gold[every.n_rows - self.labelled.height :] = known_codes(space, self.labelled)
        seed_rows = np.flatnonzero((gold >= 0).all(axis=1))

        def calibrate() -> Calibration:
            rng = np.random.default_rng([seed, 1])
            return learn_calibration(calibrator, every, gold, n_pool, seed_rows, rng)

        strata = stratify(tables[0], self.signals, cluster_column(self.cluster, *tables))
        stratum = None
        if strata is not None:
            stratum = np.concatenate([strata.arm_index(strata.encode(t)) for t in tables])
        arms = Arms.read(every, gold, n_pool, calibrate)
        return Problem.build(arms, strata, stratum, is_pool=is_pool)
