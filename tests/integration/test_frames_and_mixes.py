"""Tables come back as they came; a mix and a weight mean what they say, or are refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import accuracy_assay as aa
from accuracy_assay.study.read.lacking_pool import PoolWarning

N = 240
NAMES = ["a", "b"]


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 4, N), rng.choice(["x", "y"], N)
    columns = {"a": a, "b": b}
    columns["one"], columns["two"] = ((rng.random(N) < p).astype(float) for p in (0.8, 0.6))
    return pl.DataFrame(columns)


@pytest.fixture(scope="module")
def surface(rows: pl.DataFrame) -> aa.AccuracySurface:
    return aa.estimate(rows, NAMES, "one")


def tables(rows: Any) -> dict[str, Any]:
    """Return every table that calls about some rows return."""
    surface = aa.estimate(rows, NAMES, "one", estimator="beta-independent")
    board = aa.compare(rows, NAMES, scores=["one", "two"], estimator="beta-independent")
    history = aa.simulate(
        rows, NAMES, score="one", seed_size=20, budget=8, batch=4, estimator="beta-independent"
    )
    return {
        "proposals": aa.propose_attributes(
            rows, ["a"], "one", columns=["b"], estimator="beta-independent"
        ).to_frame(),
        "gate": aa.check(surface, min=0.1).to_frame(),
        "to_frame": surface.to_frame(),
        "worst": surface.worst(3),
        "best": surface.best(3),
        "marginal": surface.marginal("b"),
        "by_group": surface.by_group("b"),
        "slices": surface.slices(below=0.9).to_frame(),
        "attributes": surface.attributes().to_frame(),
        "better": board.better("one", "two"),
        "ranks": board.ranks,
        "best_per_arm": board.best_per_arm(),
        "surface of a board": board.surfaces["one"].worst(3),
        "metrics": history.metrics,
        "picks": history.picks,
        "surface of a replay": history.surface.to_frame(),
    }


def plain(value: object) -> object:
    """Return a value of a pandas table as Polars has it."""
    if isinstance(value, list | np.ndarray):
        return list(value)
    return None if pd.isna(value) else value


def test_pandas_in_is_pandas_out_with_the_same_numbers(rows: pl.DataFrame) -> None:
    given = pd.DataFrame({name: rows[name].to_list() for name in rows.columns})
    wanted = tables(rows)
    for name, table in tables(given).items():
        assert isinstance(table, pd.DataFrame), name
        expected = wanted[name]
        assert isinstance(expected, pl.DataFrame), name
        assert list(table.columns) == expected.columns
        for column in expected.columns:
            if column != "seconds":
                found = [plain(value) for value in table[column]]
                assert found == expected[column].to_list(), (name, column)


def test_pyarrow_in_is_pyarrow_out_with_the_same_numbers(rows: pl.DataFrame) -> None:
    wanted = tables(rows)
    for name, table in tables(rows.to_arrow()).items():
        assert isinstance(table, pa.Table), name
        expected = wanted[name].drop("seconds", strict=False)
        assert table.select(expected.columns).to_pylist() == expected.to_dicts(), name


def test_a_file_is_answered_in_polars_and_pages_are_made_of_either(
    rows: pl.DataFrame, tmp_path: Path
) -> None:
    given = pd.DataFrame({name: rows[name].to_list() for name in rows.columns})
    surface = aa.estimate(given, NAMES, "one")
    surface.report(tmp_path / "report.html")
    assert "accuracy" in surface.card("m") + surface._repr_html_() + str(surface)
    surface.save(tmp_path / "s.surface")
    loaded = aa.AccuracySurface.load(tmp_path / "s.surface")
    assert isinstance(loaded.worst(3), pl.DataFrame)
    rows.write_csv(tmp_path / "rows.csv")
    assert isinstance(aa.estimate(tmp_path / "rows.csv", NAMES, "one").worst(3), pl.DataFrame)


@pytest.mark.parametrize(
    ("column", "hint"),
    [("wieght", "Did you mean 'weight'?"), ("share", "Rename it, or drop it."), ("A", "")],
)
def test_a_column_that_a_mix_would_ignore_is_refused(
    surface: aa.AccuracySurface, column: str, hint: str
) -> None:
    mix = pl.DataFrame({"b": ["x", "y"], column: [0.9, 0.1]})
    with pytest.raises(aa.InputError, match=f"column of mix must be .*got '{column}'") as raised:
        surface.under(mix)
    assert hint in str(raised.value)


def test_a_client_s_rows_may_have_other_columns(
    rows: pl.DataFrame, surface: aa.AccuracySurface
) -> None:
    assert surface.under(rows) == surface.under(rows.select(NAMES))
    repeated = rows.with_columns(wieght=pl.lit(2.0))
    with pytest.raises(aa.InputError, match="got 'wieght'"):
        surface.under(repeated)


@pytest.mark.parametrize("unit", [5e-324 * 2**20, 1e-300, 1.0, 1e300, 4e307])
def test_weights_of_a_mix_count_by_their_ratios(surface: aa.AccuracySurface, unit: float) -> None:
    shares = pl.DataFrame({"a": [0, 1, 2, 3], "weight": [1.0, 2.0, 3.0, 4.0]})
    plain = surface.under(shares)
    scaled = surface.under(shares.with_columns(pl.col("weight") * unit))
    assert [scaled.mean, scaled.lower, scaled.upper] == pytest.approx(
        [plain.mean, plain.lower, plain.upper], abs=1e-6
    )


def test_a_weight_that_is_nothing_beside_another_counts_for_nothing(
    surface: aa.AccuracySurface,
) -> None:
    mix = pl.DataFrame({"b": ["x", "y"], "weight": [1e-300, 1e300]})
    assert surface.under(mix) == surface.at(b="y")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("unit", [1e-300, 1e300, 1e308])
def test_weights_of_a_pool_beyond_all_rows_count_by_their_ratios(
    rows: pl.DataFrame, unit: float, streamed: bool, tmp_path: Path
) -> None:
    weight = pl.when(pl.col("b") == "x").then(0.25).otherwise(1.0)
    pool: Any = rows.select(*NAMES, rows=weight)
    like = aa.estimate(rows, NAMES, "one", pool=pool, weight="rows", target="population")
    pool = pool.with_columns(pl.col("rows") * unit)
    if streamed:
        pool.write_parquet(tmp_path / "pool.parquet")
        pool = tmp_path / "pool.parquet"
    options: dict[str, Any] = {"pool": pool, "weight": "rows"}
    if unit < 1.0:  # rows that are none cannot be labelled
        with pytest.warns(PoolWarning, match="the accuracy is that of rows like the pool's"):
            found = aa.estimate(rows, NAMES, "one", **options)
    else:
        found = aa.estimate(rows, NAMES, "one", **options)
    assert [found.overall.mean, found.overall.lower, found.overall.upper] == pytest.approx(
        [like.overall.mean, like.overall.lower, like.overall.upper], abs=2e-3
    )


@pytest.mark.parametrize(("number", "text"), [(22410.0, "22,410"), (3.25, "3.2"), (0.0, "0")])
def test_counts_are_written_in_full(number: float, text: str) -> None:
    estimate = aa.Estimate(0.5, 0.1, 0.3, 0.7, 0.9, number, number, "pool")
    assert f"of these {text} rows" in str(estimate)
    assert f"{text} labels" in str(estimate)
