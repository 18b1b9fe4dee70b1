"""An edited pool is noticed and named; the same values in another form are the same pool."""

from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.events import PoolChanged
from accuracy_assay.errors import InputError
from accuracy_assay.session.pool_digest import refuse_changed_columns


def reopen(bench, pool: pl.DataFrame, **options) -> aa.Assay:
    return aa.Assay.open(bench.open_store(), pool=pool, clock=bench.clock, **options)


@pytest.mark.parametrize("column", ["sex", "age", "good"])
def test_a_changed_value_is_refused_and_its_column_named(bench, column: str) -> None:
    bench.create()
    values = bench.pool.get_column(column)
    other = values.filter(values != values[0])[0]
    changed = values.scatter(0, other)
    with pytest.raises(InputError, match=f"other values in '{column}'.*--accept {column}"):
        reopen(bench, bench.pool.with_columns(changed))


def test_columns_that_no_surface_rests_on_may_change(bench) -> None:
    bench.create()
    reopen(bench, bench.pool.with_columns(truth=pl.lit("dog"), file=pl.lit("")))


def test_order_and_format_do_not_matter(bench, tmp_path: Path) -> None:
    bench.create()
    bench.pool.sample(fraction=1.0, shuffle=True, seed=1).write_csv(tmp_path / "pool.csv")
    reopen(bench, tmp_path / "pool.csv")


def test_an_accepted_change_is_recorded_and_the_surface_follows(bench) -> None:
    assay = bench.create()
    ids = assay.ask(20)["id"]
    assay.tell(ids, bench.truth(ids))
    before = assay.surface("good")
    wrong = bench.pool.with_columns(good=pl.lit("cat"))
    again = reopen(bench, wrong, accept=["good"])
    right = sum(label == "cat" for label in bench.truth(ids))
    assert again.surface("good").correct.sum() == right < before.correct.sum()
    assert isinstance(again.session.events()[-1].event, PoolChanged)
    assert reopen(bench, wrong).surface("good").n_labels == 20  # accepted once is enough


def test_columns_that_are_new_to_the_spec_are_no_change() -> None:
    assert refuse_changed_columns({"a": "1"}, {"a": "1", "b": "2"}) == {}
    assert refuse_changed_columns({"a": "1"}, {"a": "2"}, ["a"]) == {"a": "2"}


def test_clusters_are_part_of_what_surfaces_rest_on(bench) -> None:
    bench.pool = bench.pool.with_columns(who=pl.int_range(60) // 6)
    bench.create(pool={"cluster": "who"})
    with pytest.raises(InputError, match="other values in 'who'"):
        reopen(bench, bench.pool.with_columns(who=pl.int_range(60) // 7))


def test_what_judges_say_is_part_of_what_surfaces_rest_on(bench) -> None:
    bench.pool = bench.pool.with_columns(opinion=pl.Series(range(60)))
    bench.create(judge=[{"name": "llm", "column": "opinion", "services": ["good"]}])
    bench.pool = bench.pool.with_columns(pl.col("opinion") + 1)
    with pytest.raises(InputError, match="got other values in 'opinion'"):
        bench.open()
