"""``estimate``: one call, any table, any size of space."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa

ROWS = pl.DataFrame(
    {
        "id": range(8),
        "sex": ["F", "F", "F", "M", "M", "M", "M", "F"],
        "age": ["old", "old", "young", "old", "old", "young", "young", "young"],
        "correct": [1, 1, 0, 1, 0, 1, 1, 1],
        "label": [1, 0, 1, 1, 0, 1, 0, 1],
        "guess": [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0],
        "sure": [0.9, 0.8, 0.2, 0.7, 0.4, 0.9, 0.8, 0.9],
    }
)


def estimate(
    rows: Any = ROWS, score: str | None = "correct", **options: Any
) -> aa.AccuracySurface:
    options = {"estimator": "beta-independent", "attributes": ["sex", "age"], **options}
    return aa.estimate(rows, score=score, **options)


def test_counts_are_those_of_the_rows() -> None:
    surface = estimate()
    assert surface.to_frame().select("sex", "age", "n", "correct", "support").rows() == [
        ("F", "old", 2.0, 2.0, 2.0),
        ("F", "young", 2.0, 1.0, 2.0),
        ("M", "old", 2.0, 1.0, 2.0),
        ("M", "young", 2.0, 2.0, 2.0),
    ]


@pytest.mark.parametrize("kind", ["pandas", "lazy", "arrow", "csv", "jsonl", "parquet"])
def test_every_kind_of_table_gives_the_same_surface(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rows.{kind}"
    writers = {
        "csv": ROWS.write_csv,
        "jsonl": ROWS.write_ndjson,
        "parquet": ROWS.write_parquet,
    }
    frames = {"pandas": ROWS.to_pandas, "lazy": ROWS.lazy, "arrow": ROWS.to_arrow}
    if kind in writers:
        writers[kind](path)
    rows = str(path) if kind in writers else frames[kind]()
    assert estimate(rows).to_frame().equals(estimate().to_frame())


def test_truth_and_prediction_stand_in_for_the_score() -> None:
    by_label = estimate(score=None, y_true="label", y_pred="guess")
    assert by_label.correct.tolist() == [2.0, 1.0, 1.0, 2.0]


def test_the_order_of_rows_does_not_matter(rng: np.random.Generator) -> None:
    mixed = ROWS[rng.permutation(ROWS.height)]
    assert estimate(mixed).to_frame().equals(estimate().to_frame())


def test_fractional_scores_keep_their_sum_and_square() -> None:
    seen: list[Any] = []

    class Spy:
        """An estimator that keeps what it was given."""

        def fit(self, observations: Any, rng: Any, previous: Any = None) -> aa.AccuracySurface:
            seen.append(observations)
            return aa.AccuracySurface.build(observations, mean=0.5, sd=0.1, lower=0, upper=1)

    rows = ROWS.with_columns(correct=pl.Series([0.5, 1.0, 0, 1, 0, 1, 1, 1.0]))
    estimate(rows, estimator=Spy())
    estimate(ROWS, estimator=Spy())
    assert seen[0].score.tolist() == [1.5, 1.0, 1.0, 2.0]
    assert seen[0].score_sq.tolist() == [1.25, 1.0, 1.0, 2.0]
    assert seen[1].score_sq.tolist() == seen[1].score.tolist()
    assert seen[0].prior_strength == 0.1
    assert not seen[0].support.is_pool


def test_a_pool_defines_the_space_and_the_support() -> None:
    pool = pl.concat([ROWS, ROWS.with_columns(age=pl.lit("ancient"))], how="vertical")
    surface = estimate(pool=pool)
    frame = surface.to_frame()
    assert frame.height == 6
    assert frame.get_column("support").to_list() == [4.0, 2.0, 2.0, 4.0, 2.0, 2.0]
    assert frame.get_column("n").to_list() == [0.0, 2.0, 2.0, 0.0, 2.0, 2.0]


def test_labels_outside_the_pool_are_not_lost() -> None:
    pool = ROWS.filter(pl.col("sex") == "F")
    surface = estimate(pool=pool)
    assert surface.n_labels == 8.0
    assert surface.support.tolist() == [2.0, 2.0, 2.0, 2.0]
    assert surface.worst().height == 4


def test_declared_attributes_keep_their_values_and_order() -> None:
    age = aa.Attribute("age", ("young", "old", "ancient"), kind="ordinal")
    surface = estimate(attributes=["sex", age])
    assert surface.space.attribute("age") == age
    assert surface.to_frame().get_column("status").to_list().count("not in pool") == 2


def test_numbers_are_binned_at_the_edges() -> None:
    sure = aa.Attribute("sure", kind="continuous", edges=(0.5,))
    assert estimate(attributes=[sure]).n.tolist() == [2.0, 6.0]


def test_signals_are_averaged_out() -> None:
    surface = estimate(signals=["sure"])
    assert surface.space.names == ("sex", "age")
    assert surface.n.tolist() == [2.0] * 4


@pytest.mark.parametrize("name", ["score", "__n", "count", "sum", "literal", "len"])
def test_an_attribute_may_have_any_name(name: str) -> None:
    rows = ROWS.rename({"age": name})
    surface = estimate(rows, attributes=["sex", name])
    assert surface.space.names == ("sex", name)
    assert surface.n.tolist() == [2.0] * 4


def test_the_input_frame_is_left_as_it_was() -> None:
    before = ROWS.clone()
    pandas = ROWS.to_pandas()
    estimate(pandas)
    estimate()
    assert ROWS.equals(before)
    assert pandas.equals(before.to_pandas())


def test_a_billion_arms_cost_no_more_than_the_rows(rng: np.random.Generator) -> None:
    names = [f"a{k}" for k in range(9)]
    ten = [aa.Attribute(name, tuple(range(10))) for name in names]
    table = {name: rng.integers(0, 10, 2000) for name in names}
    rows = pl.DataFrame(table).with_columns(correct=pl.Series(rng.random(2000)))
    tracemalloc.start()
    surface = estimate(rows, attributes=ten)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert surface.space.n_arms == 10**9
    assert 1900 < surface.arms.size <= 2000
    assert surface.n_labels == 2000.0
    assert surface.marginal("a0").height == 10
    assert surface.under(rows).mean == pytest.approx(surface.overall.mean)
    assert peak < 20e6


def test_a_seed_decides_everything() -> None:
    assert estimate(seed=3).to_frame().equals(estimate(seed=3).to_frame())
