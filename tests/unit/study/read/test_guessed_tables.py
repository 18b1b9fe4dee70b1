"""Tables with guessed attributes: which rows are candidates, and what teaches the calibration."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.read import guessed_tables
from accuracy_assay.study.read.guessed_tables import read_guessed
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.tables import LabelledTables

SURE = np.tile([0.9, 0.2, 0.5], 8)
POOL = pl.DataFrame({"sex": list("FMF") * 8, "p__old": SURE, "p__young": 1.0 - SURE})
N_LABELS = 18
SCORES = pl.Series(np.tile([1.0, 0.0], 9))
LABELLED = POOL[:N_LABELS].with_columns(age=pl.Series(["old", "young", "old"] * 6))


def build(pool: pl.DataFrame | None, evidence: dict[str, str], *from_label: str) -> Problem:
    columns = Columns(("sex", "age"), "score", evidence=evidence, from_label=from_label)
    tables = LabelledTables(columns, LABELLED, pool, SCORES)
    return read_guessed(tables, How.of("constant", calibration="raw").about(tables.pool)).problem


def test_labelled_rows_come_after_those_of_the_pool() -> None:
    problem = build(POOL, {"age": "p__*"})
    arms = problem.arms
    assert (arms.n_pool, arms.evidence.n_rows) == (POOL.height, POOL.height + N_LABELS)
    assert (arms.gold[: POOL.height] == -1).all()
    np.testing.assert_array_equal(arms.gold[POOL.height :], [[0, 0], [1, 1], [0, 0]] * 6)


def test_a_row_that_may_be_either_counts_half_in_both_arms() -> None:
    support = build(POOL, {"age": "p__*"}).support
    np.testing.assert_array_equal(support.cells, [0, 1, 3])
    np.testing.assert_array_equal(support.size, [8 + 4, 4, 8])


def test_without_a_pool_what_the_label_reveals_needs_no_calibration() -> None:
    assert build(None, {}, "age").arms.calibration is None


def test_of_a_large_pool_the_counts_stay_and_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = build(POOL, {"age": "p__*"})
    monkeypatch.setattr(guessed_tables, "PART_ROWS", POOL.height - 1)
    counted = build(POOL, {"age": "p__*"})
    assert (whole.has_pool, counted.has_pool) == (True, False)
    assert counted.arms.evidence.n_rows == N_LABELS
    np.testing.assert_array_equal(counted.support.cells, whole.support.cells)
    np.testing.assert_array_equal(counted.support.size, whole.support.size)
