"""A number is about the pool's own rows where a pool is given, else about rows like these."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.study.read import guessed_tables, pool_parts
from accuracy_assay.study.read.lacking_pool import PoolWarning

N = 600
NAMES = ["a", "b"]


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 3, N), rng.integers(0, 2, N)
    score = (rng.random(N) < 0.9 - 0.1 * a).astype(float)
    sure = np.where(rng.random(N) < 0.9, b, 1 - b)
    return pl.DataFrame({"a": a, "b": b, "score": score}).with_columns(
        pl.Series("p_b__0", np.where(sure == 0, 0.9, 0.1)),
        pl.Series("p_b__1", np.where(sure == 1, 0.9, 0.1)),
    )


def missing_one(rows: pl.DataFrame) -> pl.DataFrame:
    is_first = pl.int_range(pl.len()) == 0
    return rows.with_columns(score=pl.when(~is_first).then("score"))


def width(surface: aa.AccuracySurface) -> float:
    return surface.overall.upper - surface.overall.lower


@pytest.mark.parametrize("kind", ["frame", "parquet", "guessed", "guessed parquet"])
def test_one_missing_score_does_not_change_what_the_number_is_about(
    rows: pl.DataFrame, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guessed_tables, "PART_ROWS", 100)
    monkeypatch.setattr(pool_parts, "PART_ROWS", 100)
    options: dict[str, Any] = {}
    if kind.startswith("guessed"):
        options = {"evidence": {"b": "p_b__*"}, "calibration": "raw"}
    found = []
    for number, table in enumerate((rows, missing_one(rows))):
        source: Any = table
        if kind.endswith("parquet"):
            source = tmp_path / f"{number}.parquet"
            table.write_parquet(source)
        found.append(aa.estimate(source, NAMES, "score", **options))
    whole, one_less = found
    assert whole.target == one_less.target == "population"
    assert one_less.overall.mean == pytest.approx(whole.overall.mean, abs=0.005)
    assert width(one_less) == pytest.approx(width(whole), rel=0.05)
    assert one_less.support.sum() == pytest.approx(N)


def test_rows_without_a_score_only_say_how_common_each_arm_is(rows: pl.DataFrame) -> None:
    """Twenty times as many rows of one arm move the average there, and make nothing sure."""
    more = pl.concat([rows.filter(pl.col("a") == 0)] * 20).with_columns(score=pl.lit(None))
    more = more.cast({"score": pl.Float64})
    surface = aa.estimate(pl.concat([rows, more]), NAMES, "score")
    assert surface.target == "population"
    assert surface.at(a=0).support == pytest.approx(21 * (rows["a"] == 0).sum())
    alone = aa.estimate(rows, NAMES, "score")
    assert surface.overall.mean == pytest.approx(alone.at(a=0).mean, abs=0.02)
    assert width(surface) > 0.8 * (alone.at(a=0).upper - alone.at(a=0).lower)


def test_a_given_pool_is_what_the_number_is_about(rows: pl.DataFrame) -> None:
    surface = aa.estimate(rows[:100], NAMES, "score", pool=rows)
    assert surface.target == "pool"
    assert "of these 600 rows" in str(surface.overall)
    assert "of rows like these" in str(aa.estimate(rows[:100], NAMES, "score").overall)
    asked = aa.estimate(rows[:100], NAMES, "score", pool=rows, target="population")
    assert "of rows like these" in str(asked.overall)


def test_both_targets_are_known_and_are_each_other_s(rows: pl.DataFrame) -> None:
    most = missing_one(rows)
    pool, like = (aa.estimate(most, NAMES, "score", target=t) for t in ("pool", "population"))
    for one, two in ((pool, like), (like, pool)):
        other = one.other_overall
        assert other is not None
        assert other.target == two.target
        assert [other.mean, other.lower, other.upper] == pytest.approx(
            [two.overall.mean, two.overall.lower, two.overall.upper], abs=1e-3
        )
    assert width(pool) < 0.2 * width(like)


def test_a_pool_that_lacks_the_labelled_rows_is_not_sure_of_itself(rows: pl.DataFrame) -> None:
    with pytest.warns(PoolWarning, match=r"lacks \d+ of 200.*the accuracy is that of rows like"):
        surface = aa.estimate(rows[:200], NAMES, "score", pool=rows[:5])
    assert surface.target == "population"
    assert width(surface) > 0.05
    assert surface.overall.support < 200.0 + 5.0
    assert surface.other_overall is None  # nobody knows which of the pool's rows are labelled


def test_a_pool_that_lacks_a_few_labelled_rows_takes_them_in(rows: pl.DataFrame) -> None:
    with pytest.warns(PoolWarning, match="the accuracy is that of these 600 rows"):
        surface = aa.estimate(rows, NAMES, "score", pool=rows[1:])
    assert surface.target == "pool"


def test_a_mix_says_that_it_is_one(rows: pl.DataFrame) -> None:
    surface = aa.estimate(rows[:100], NAMES, "score", pool=rows)
    mix = pl.DataFrame({"a": [0, 1], "weight": [3.0, 1.0]})
    assert "under this mix" in str(surface.under(mix))
    own = surface.to_frame().select(*NAMES, weight="support")
    assert surface.under(own) == surface.overall
