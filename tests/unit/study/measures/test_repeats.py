"""Repeats of an item: pass@k and pass^k against all choices of k runs."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.measures.repeats import Repeats


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_score_is_the_share_of_all_choices_of_k_runs(k: int) -> None:
    runs = [1, 1, 0, 0, 0]
    chosen = list(combinations(runs, k))
    assert Repeats(k, must_all=False).score(5, 2) == pytest.approx(
        np.mean([max(c) for c in chosen])
    )
    assert Repeats(k, must_all=True).score(5, 2) == pytest.approx(
        np.mean([min(c) for c in chosen])
    )


def rows(rng: np.random.Generator) -> pl.DataFrame:
    item = np.repeat(np.arange(200), 4)
    rate = np.repeat(rng.choice([0.1, 0.9], 200), 4)
    return pl.DataFrame(
        {
            "topic": np.repeat(rng.choice(["art", "law"], 200), 4),
            "item": item,
            "right": (rng.random(800) < rate).astype(float),
        }
    )


def estimate(table: pl.DataFrame, measure: str, **options: object) -> aa.AccuracySurface:
    asked = {"cluster": "item", "estimator": "beta-independent", **options}
    return aa.estimate(table, ["topic"], "right", measure=measure, **asked)


def test_an_item_counts_once_whatever_its_runs(rng: np.random.Generator) -> None:
    table = rows(rng)
    found = estimate(table, "pass@2")
    assert found.n_labels == 200
    assert found.measure == "pass@2"
    by_item = table.group_by("item").agg(pl.col("right").sum())
    expected = np.mean([Repeats(2, must_all=False).score(4, int(c)) for c in by_item["right"]])
    assert found.overall.mean == pytest.approx(expected, abs=0.01)


def test_one_of_k_is_easier_than_one_and_all_of_k_harder(rng: np.random.Generator) -> None:
    table = rows(rng)
    means = [estimate(table, name).overall.mean for name in ("pass^3", "pass^1", "pass@3")]
    assert means == sorted(means)
    assert estimate(table, "pass@1").overall.mean == pytest.approx(means[1])


def test_items_with_too_few_runs_are_counted(rng: np.random.Generator) -> None:
    short = pl.concat([rows(rng), pl.DataFrame({"topic": ["art"], "item": [999], "right": [1.0]})])
    assert estimate(short, "pass@2").details["items_with_too_few_runs"] == 1
    with pytest.raises(InputError, match="items with 5 runs; got at most 4"):
        estimate(short, "pass@5")


def test_what_cannot_be_repeated_is_refused(rng: np.random.Generator) -> None:
    table = rows(rng)
    with pytest.raises(InputError, match="column of the item"):
        estimate(table, "pass@2", cluster=None)
    with pytest.raises(InputError, match=r"right or wrong; got a score of 0\.5"):
        estimate(table.with_columns(right=pl.lit(0.5)), "pass@2")
    assert estimate(table.with_columns(right=pl.lit(0.5)), "pass@1").overall.mean == (
        pytest.approx(0.5, abs=0.01)
    )
    with pytest.raises(InputError, match="one run or more"):
        estimate(table, "pass@0")
    with pytest.raises(InputError, match="labelled runs alone"):
        estimate(table, "pass@2", pool=table)
