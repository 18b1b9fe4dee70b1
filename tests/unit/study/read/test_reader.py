"""Where rows lie changes no surface: a guessed pool in Parquet gives what it gives in memory."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.study.read import guessed_tables
from accuracy_assay.study.read.guessed_tables import LargePool
from accuracy_assay.study.read.pool_parts import file_parts

N_POOL, N_LABELS = 500, 80
PATTERN = {"age": "p__*"}
COLUMNS = Columns(("place", "age"), "correct", evidence=PATTERN)


@pytest.fixture
def pool(rng: np.random.Generator) -> pl.DataFrame:
    age = rng.integers(0, 2, N_POOL)
    old = np.clip(rng.normal(0.3 + 0.4 * age, 0.2), 0.02, 0.98)
    right = (rng.random(N_POOL) < 0.6 + 0.3 * age).astype(float)
    is_labelled = np.arange(N_POOL) % 6 == 0
    return pl.DataFrame(
        {
            "id": range(N_POOL),
            "place": rng.choice(["here", "there", "far"], N_POOL),
            "age": np.array(["young", "old"])[age],
            "p__old": old.astype(np.float32),
            "p__young": (1.0 - old).astype(np.float32),
            "sure": rng.random(N_POOL),
            "correct": np.where(is_labelled, right, np.nan),
        }
    ).with_columns(
        pl.col("correct").fill_nan(None),
        age=pl.when(pl.Series(is_labelled)).then("age"),
    )


@pytest.fixture
def folder(pool: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of files of which each is more than a part."""
    monkeypatch.setattr(guessed_tables, "PART_ROWS", 100)
    made = tmp_path / "pool"
    made.mkdir()
    for k, start in enumerate(range(0, N_POOL, 180)):
        pool.slice(start, 180).write_parquet(made / f"{k}.parquet", row_group_size=60)
    return made


def surface_of(rows: object, pool: object = None, **options: object) -> pl.DataFrame:
    surface = aa.estimate(
        rows,
        ["place", "age"],
        "correct",
        pool=pool,
        evidence=PATTERN,
        estimator="beta-independent",
        calibration="temperature",
        id="id",
        **options,  # type: ignore[arg-type]
    )
    return surface.to_frame()


def compare(one: pl.DataFrame, two: pl.DataFrame) -> None:
    assert one.columns == two.columns
    for name in one.columns:
        if one[name].dtype.is_float():
            np.testing.assert_allclose(one[name], two[name], rtol=1e-9)
        else:
            assert one[name].to_list() == two[name].to_list()


def test_rows_without_a_label_in_files_give_what_they_give_in_memory(
    pool: pl.DataFrame, folder: Path
) -> None:
    found = LargePool.find(COLUMNS, folder, None)
    assert found is not None
    assert found.labelled.equals(pool.filter(pl.col("correct").is_not_null()))
    shares: list[float] = []
    compare(surface_of(folder, on_share=shares.append), surface_of(pool))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_pool_in_files_gives_what_it_gives_in_memory(pool: pl.DataFrame, folder: Path) -> None:
    labelled = pool.filter(pl.col("correct").is_not_null())
    everything = pool.drop("age", "correct")
    compare(
        surface_of(labelled, folder, signals=["sure"]),
        surface_of(labelled, everything, signals=["sure"]),
    )


def test_parts_hold_every_row_once_and_say_where_they_lie(
    pool: pl.DataFrame, folder: Path
) -> None:
    found = LargePool.find(COLUMNS, folder, None)
    assert found is not None
    parts = file_parts(found.pool)
    assert sum(part.n_rows for part in parts) == N_POOL
    assert pl.concat([part.read(["id"]) for part in parts])["id"].to_list() == list(range(N_POOL))
    assert all(".parquet" in str(part) for part in parts)


def test_a_repeated_id_is_refused(pool: pl.DataFrame, folder: Path) -> None:
    pool.slice(7, 1).write_parquet(folder / "9.parquet")
    labelled = pool.filter(pl.col("correct").is_not_null())
    with pytest.raises(InputError, match="column 'id' of pool must have unique values; got 7"):
        surface_of(labelled, folder)


def test_an_error_names_the_file_and_the_row(pool: pl.DataFrame, folder: Path) -> None:
    is_bad = pl.col("id") == 400
    bad = pool.slice(360).with_columns(p__old=pl.when(is_bad).then(0.0).otherwise("p__old"))
    bad.with_columns(pl.col("p__old").cast(pl.Float32)).write_parquet(folder / "2.parquet")
    with pytest.raises(InputError, match=r"part 3, 2\.parquet, rows 0 to 139: .* in row 40 must"):
        surface_of(pool.filter(pl.col("correct").is_not_null()), folder)


def test_small_files_and_rows_that_are_all_labelled_are_read(
    pool: pl.DataFrame, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = tmp_path / "full.parquet"
    pool.with_columns(correct=pl.lit(1.0)).write_parquet(full)
    assert LargePool.find(COLUMNS, full, None) is None
    assert LargePool.find(COLUMNS, pool, None) is None
    monkeypatch.setattr(guessed_tables, "PART_ROWS", N_POOL)
    assert LargePool.find(COLUMNS, folder, None) is None
