"""Parquet that streams gives the surface of the same rows in memory, and the same refusals."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import polars as pl
import pytest
from observed_rows import assert_same, observed
from polars.testing import assert_frame_equal

import accuracy_assay as aa
import accuracy_assay.files.parquet_rows as parquet_rows
import accuracy_assay.files.tables as tables
import accuracy_assay.study.read.streamed_tables as streamed_tables
from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.study.read.streamed_tables import open_tables


def make(n: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    bands = pl.Enum(["low", "middle", "high"])
    truth = rng.choice(["a", "b", "c"], n)
    is_right = rng.random(n) < 0.8
    return pl.DataFrame(
        {
            "id": range(n),
            "sex": rng.choice(["F", "M"], n),
            "band": pl.Series(rng.choice(bands.categories.to_list(), n), dtype=bands),
            "age": rng.normal(40.0, 15.0, n),
            "truth": truth,
            "said": np.where(is_right, truth, rng.choice(["a", "b", "c"], n)),
            "sure": rng.random(n),
            "level": rng.integers(0, 4, n),
            "grade": (100.0 * rng.random(n) ** 3).astype(np.int64),
            "who": rng.integers(0, 12, n),
            "weight": rng.integers(1, 4, n),
            "part": rng.random(n),
        }
    ).with_columns(
        correct=(pl.col("said") == pl.col("truth")).cast(pl.Int8),
        some=pl.when(pl.col("id") % 3 == 0).then(pl.col("part")),
    )


ROWS = make()
FEW = ROWS[:150]
AGE = aa.Attribute("age", kind="continuous", edges=(30.0, 45.0, 60.0))
COLUMNS = Columns(("sex",), "correct")
COUNT: dict[str, Any] = {"estimator": "beta-independent"}


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "_BATCH_ROWS", 100)


def keep(frame: pl.DataFrame, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    for k, part in enumerate(frame.iter_slices(250)):
        part.write_parquet(folder / f"part-{k}.parquet", row_group_size=80)
    return str(folder)


OPTIONS: list[dict[str, Any]] = [
    {"attributes": ["sex", "band"], "score": "correct"},
    {"attributes": ["sex", AGE], "score": "part"},
    {"attributes": ["sex", AGE], "score": "some"},
    {"attributes": ["sex", "level"], "y_true": "truth", "y_pred": "said", "id": "id"},
    {"attributes": ["sex"], "y_true": "truth", "y_pred": "said", "agreement": "wer"},
    {"attributes": ["sex"], "score": "correct", "signals": ["sure", "said", "level"]},
    {"attributes": ["sex"], "score": "correct", "signals": ["grade"]},
    {"attributes": ["sex"], "score": "some", "signals": ["band", "sure"], "cluster": "who"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_a_folder_gives_the_counts_of_its_rows(options: dict[str, Any], tmp_path: Path) -> None:
    assert_same(observed(keep(ROWS, tmp_path / "rows"), **options), observed(ROWS, **options))


@pytest.mark.parametrize(
    "options",
    [
        {"score": "correct"},
        {"score": "correct", "weight": "weight"},
        {"score": "correct", "signals": ["sure"]},
        {"score": "correct", "target": "population", "cluster": "who"},
    ],
)
@pytest.mark.parametrize("where", ["rows", "pool", "both"])
def test_rows_and_pool_stream_alone_or_together(
    options: dict[str, Any], where: str, tmp_path: Path
) -> None:
    rows = FEW if where == "pool" else keep(FEW, tmp_path / "rows")
    pool = ROWS if where == "rows" else keep(ROWS, tmp_path / "pool")
    streamed = observed(rows, attributes=["sex", AGE], pool=pool, **options)
    assert_same(streamed, observed(FEW, attributes=["sex", AGE], pool=ROWS, **options))


def test_an_address_gives_the_surface_of_its_rows() -> None:
    memory = fsspec.filesystem("memory")
    for k, part in enumerate(ROWS.iter_slices(250)):
        with memory.open(f"/streamed/part-{k}.parquet", "wb") as file:
            part.write_parquet(file)
    streamed = aa.estimate(
        FEW, ["sex", "band"], score="correct", pool="memory://streamed", **COUNT
    )
    wanted = aa.estimate(FEW, ["sex", "band"], score="correct", pool=ROWS, **COUNT)
    assert_frame_equal(streamed.to_frame(), wanted.to_frame())


def test_no_table_is_read_where_counts_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ParquetRows, "read", None)
    monkeypatch.setattr(tables, "read_table", None)
    place = keep(ROWS, tmp_path / "rows")
    assert aa.estimate(place, ["sex", AGE], score="part", **COUNT).n_labels == ROWS.height


@pytest.mark.parametrize(
    "options",
    [
        {"y_true": "truth", "y_pred": "said", "measure": "recall:a"},
        {"score": "correct", "where": "level > 1"},
        {"score": "correct", "y_pred": "said", "referees": ["truth"]},
        {"score": "correct", "judges": ["level"]},
    ],
)
def test_what_needs_whole_columns_reads_the_folder(
    options: dict[str, Any], tmp_path: Path
) -> None:
    found = aa.estimate(keep(ROWS, tmp_path / "rows"), ["sex"], **options, **COUNT)
    wanted = aa.estimate(ROWS, ["sex"], **options, **COUNT)
    assert_frame_equal(found.to_frame(), wanted.to_frame(), abs_tol=1e-12)


def broken(**columns: Any) -> pl.DataFrame:
    return ROWS.with_columns(**columns)


def at(row: int, column: str, value: object) -> pl.Expr:
    return pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(pl.col(column))


REFUSED: list[tuple[pl.DataFrame, dict[str, Any]]] = [
    (ROWS, {"attributes": ["sx"], "score": "correct"}),
    (ROWS, {"attributes": ["sex"], "score": "right"}),
    (ROWS, {"attributes": ["sex"], "score": "truth"}),
    (ROWS, {"attributes": ["part"], "score": "correct"}),
    (ROWS, {"attributes": ["sex"], "score": "correct", "signals": ["nothing"]}),
    (broken(sex=at(433, "sex", None)), {"attributes": ["sex"], "score": "correct"}),
    (broken(age=at(433, "age", float("nan"))), {"attributes": [AGE], "score": "correct"}),
    (broken(age=at(433, "age", None)), {"attributes": [AGE], "score": "some"}),
    (broken(correct=at(298, "correct", 2)), {"attributes": ["sex"], "score": "correct"}),
    (broken(id=at(5, "id", 3)), {"attributes": ["sex"], "score": "correct", "id": "id"}),
    (
        broken(sure=at(400, "sure", None)),
        {"attributes": ["sex"], "score": "correct", "signals": ["sure"]},
    ),
    (
        broken(text=pl.col("id").cast(pl.String)),
        {"attributes": ["sex"], "score": "correct", "signals": ["text"]},
    ),
    (
        broken(who=at(7, "who", None)),
        {"attributes": ["sex"], "score": "some", "cluster": "who"},
    ),
    (ROWS, {"attributes": ["truth"], "score": "correct", "signals": ["said"]}),
    (
        broken(copy=pl.col("part"), same=pl.col("part") + (1 - pl.col("correct"))),
        {
            "attributes": [aa.Attribute("copy", kind="continuous", edges=(0.5,))],
            "score": "correct",
            "signals": ["same"],
        },
    ),
]


@pytest.mark.parametrize(("frame", "options"), REFUSED, ids=range(len(REFUSED)))
def test_refusals_are_those_of_rows_in_memory(
    frame: pl.DataFrame, options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(InputError) as wanted:
        aa.estimate(frame, **options, **COUNT)
    with pytest.raises(InputError) as found:
        aa.estimate(keep(frame, tmp_path / "rows"), **options, **COUNT)
    assert str(found.value) == str(wanted.value)


def test_an_id_is_no_attribute_of_a_large_table_and_found_before_it_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed_tables, "_LARGE", 100)
    place = keep(ROWS, tmp_path / "rows")
    assert aa.estimate(place, ["sex", "grade"], score="correct", **COUNT).n_labels == ROWS.height
    monkeypatch.setattr(streamed_tables.StreamedScores, "count", None)
    with pytest.raises(InputError, match=r"'id' must have few values.* in 600 rows, such as 0"):
        aa.estimate(place, ["sex", "id"], score="correct", **COUNT)


@pytest.mark.parametrize("value", [0, -1.5, None, float("nan")])
def test_a_weight_that_is_none_is_refused_as_in_memory(value: object, tmp_path: Path) -> None:
    pool = broken(weight=at(433, "weight", value))
    given: dict[str, Any] = {"score": "correct", "weight": "weight", **COUNT}
    with pytest.raises(InputError) as wanted:
        aa.estimate(FEW, ["sex"], pool=pool, **given)
    with pytest.raises(InputError) as found:
        aa.estimate(FEW, ["sex"], pool=keep(pool, tmp_path / "pool"), **given)
    assert str(found.value) == str(wanted.value)


def test_a_value_that_only_the_rows_have_is_named_as_in_memory(tmp_path: Path) -> None:
    declared = aa.Attribute("sex", ("F", "M"))
    rows = FEW.with_columns(sex=at(120, "sex", pl.lit("X")))
    with pytest.raises(InputError) as wanted:
        aa.estimate(rows, [declared], score="correct", pool=ROWS, **COUNT)
    with pytest.raises(InputError) as found:
        aa.estimate(rows, [declared], score="correct", pool=keep(ROWS, tmp_path / "pool"), **COUNT)
    assert str(found.value) == str(wanted.value)


def test_tables_that_are_no_parquet_stay_in_memory(tmp_path: Path) -> None:
    with open_tables(COLUMNS, ROWS, None) as found:
        assert found is None
    odd = ROWS.select("sex", "correct", filename="sex")
    with open_tables(COLUMNS, keep(odd, tmp_path / "odd"), None) as found:
        assert found is None


class Elsewhere:
    """An engine whose work and results travel, as on other machines."""

    def map(self, work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        for part in parts:
            sent, about = pickle.loads(pickle.dumps((work, part)))
            yield pickle.loads(pickle.dumps(sent(about)))


@pytest.mark.parametrize("options", [OPTIONS[k] for k in (1, 3, 4, 7)], ids=(1, 3, 4, 7))
def test_other_machines_count_the_same(options: dict[str, Any], tmp_path: Path) -> None:
    place = keep(ROWS, tmp_path / "rows")
    told: list[float] = []
    there = observed(place, **options, engine=Elsewhere(), on_share=told.append)
    assert_same(there, observed(place, **options))
    assert told[-1] == 1.0
    assert len(told) > 2
