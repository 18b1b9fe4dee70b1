"""A pool that lacks labelled rows is said to, with what is estimated instead."""

import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.read.how import How, Target
from accuracy_assay.study.read.lacking_pool import PoolWarning
from accuracy_assay.study.read.problem import LabelledProblem
from accuracy_assay.study.read.reader import read

ROWS = pl.DataFrame({"sex": ["F"] * 150 + ["M"] * 150, "right": [1.0, 0.0, 1.0] * 100})


def problem(pool: pl.DataFrame | None, target: Target | None = None) -> LabelledProblem:
    how = How.of("constant", target=target)
    return read(Columns(("sex",), "right"), ROWS, pool, how)


@pytest.mark.parametrize("times", [1, 3])
def test_a_pool_that_holds_them_is_the_target_and_nothing_is_said(times: int) -> None:
    pool = pl.concat([ROWS.drop("right")] * times)
    assert problem(pool).problem.support.is_pool
    assert not problem(pool, "population").problem.support.is_pool
    assert not problem(None).problem.support.is_pool


def test_a_few_that_are_missing_count_as_its_rows() -> None:
    with pytest.warns(PoolWarning, match="lacks 2 of 300, such as those of sex=F: they count as"):
        found = problem(ROWS[2:])
    assert found.problem.support.is_pool
    assert found.observe().support.arm_size.tolist() == [150.0, 150.0]


def test_of_many_only_the_composition_of_the_pool_counts() -> None:
    pool = ROWS.filter(pl.col("sex") == "F")[:20]
    pool = pl.concat([pool, ROWS.filter(pl.col("sex") == "M")[:60]])
    with pytest.warns(PoolWarning, match="lacks 220 of 300.*rows like the pool's"):
        found = problem(pool)
    assert not found.problem.support.is_pool
    assert found.observe().support.arm_size.tolist() == [20.0, 60.0]


def test_values_that_it_lacks_altogether_count_by_their_labels() -> None:
    with pytest.warns(PoolWarning, match="has no row count by their labels"):
        found = problem(ROWS.filter(pl.col("sex") == "F"))
    assert found.observe().support.arm_size.tolist() == [150.0, 150.0]


def test_who_asks_for_its_own_rows_gets_them_with_those_that_it_lacks() -> None:
    with pytest.warns(PoolWarning, match="the accuracy is that of these 300 rows"):
        found = problem(ROWS[:5], "pool")
    assert found.problem.support.is_pool
    assert found.observe().support.arm_size.tolist() == [150.0, 150.0]
