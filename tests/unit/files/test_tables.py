"""Every kind of table gives the same frame; a malformed one gives a clear error."""

import gzip
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from accuracy_assay.domain.space import Attribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import (
    is_table,
    read_columns,
    read_table,
    require_columns,
    require_unique,
    write_csv,
)

FRAME = pl.DataFrame({"sex": ["F", "M", "M"], "age": [31, 42, 53], "score": [0.5, 1.0, 0.0]})


def write(path: Path) -> Path:
    writers = {
        ".csv": FRAME.write_csv,
        ".tsv": lambda p: FRAME.write_csv(p, separator="\t"),
        ".jsonl": FRAME.write_ndjson,
        ".ndjson": FRAME.write_ndjson,
        ".parquet": FRAME.write_parquet,
    }
    writers[path.suffix](path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"])
def test_every_file_type_gives_the_same_frame(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"rows{suffix}")
    assert read_table(path).equals(FRAME)
    assert read_table(str(path)).equals(FRAME)


def test_every_library_gives_the_same_frame() -> None:
    for rows in (FRAME, FRAME.lazy(), FRAME.to_pandas(), FRAME.to_arrow()):
        assert read_table(rows).equals(FRAME)


def test_missing_values_of_pandas_are_missing() -> None:
    rows = read_table(pd.DataFrame({"x": [1.0, np.nan], "y": ["a", None]}))
    assert rows.null_count().row(0) == (1, 1)


def test_a_type_that_shows_late_in_the_file_is_respected(tmp_path: Path) -> None:
    late = tmp_path / "late.csv"
    late.write_text("a,b\n" + "1,1\n" * 10_500 + "x,0.5\n")
    assert read_table(late).row(-1) == ("x", 0.5)
    lines = tmp_path / "late.jsonl"
    lines.write_text('{"b": 1}\n' * 500 + '{"b": 0.5, "c": "new"}\n')
    assert read_table(lines).row(-1) == (0.5, "new")


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n\n3,\n")
    assert read_table(path).rows() == [(1, 2), (3, None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,b,c\n1,2,3\n4,5,6,7\n",
            "same fields in every row; got 4 fields instead of 3 in line 3",
        ),
        (
            "a,b,c\n1,2,3\n4,5\n6,7,8\n",
            "rows.csv. must .* got 2 fields instead of 3 in line 3",
        ),
        ("", "at least one row; got the empty file"),
        ("a,b\n", "at least one row; got an empty table"),
    ],
)
def test_a_malformed_csv_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(path)


@pytest.mark.parametrize("name", ["rows.parquet", "rows.jsonl"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("this is prose\n")
    with pytest.raises(InputError, match=r"rows must be a readable (parquet|jsonl) file; got"):
        read_table(path)


def test_a_missing_file_and_an_unknown_suffix_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pool must be an existing file; got '.*none.csv'"):
        read_table(tmp_path / "none.csv", what="pool")
    with pytest.raises(UnknownNameError, match=r"file type of rows \(x.parquett\).*Did you mean"):
        read_table("x.parquett")


@pytest.mark.parametrize("rows", [None, 3, {"a": [1]}, np.zeros((2, 2)), pd.Series([1])])
def test_an_object_that_is_no_table_is_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="rows must be a pandas, Polars or PyArrow frame"):
        read_table(rows)


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame({"a": [1, "x"]}),
    ],
)
def test_a_malformed_frame_is_refused(rows: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="rows must be a well-formed table; got"):
        read_table(rows)


def test_a_library_that_is_not_installed_is_named() -> None:
    class Frame(pd.DataFrame):  # type: ignore[misc]
        """A frame whose conversion fails as it does where pyarrow is missing."""

        @property
        def columns(self) -> Any:
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    with pytest.raises(
        InputError, match=r"needs 'pyarrow', which is not installed. Install it with"
    ):
        read_table(Frame())


def test_an_unknown_column_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'Age'. Did you mean 'age'\?"):
        require_columns(FRAME, ["sex", "Age"])


def test_a_repeated_id_is_named_and_counted() -> None:
    require_unique(pl.Series("id", ["x", "y"]))
    with pytest.raises(InputError, match="'id' of pool must have unique values; got 'x' 2 times"):
        require_unique(pl.Series("id", ["x", "y", "x"]), what="pool")


def test_a_table_written_as_csv_is_read_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": ["F", 'M, "x"'], "mean": [0.1, 0.30000000000000004]})
    write_csv(frame, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv").equals(frame)
    with pytest.raises(InputError, match=r"metrics must go to an existing folder; got '.*no'"):
        write_csv(frame, tmp_path / "no" / "t.csv", what="metrics")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_a_name_with_brackets_or_stars_is_one_file(tmp_path: Path, ending: str) -> None:
    for name in ("[ab]*?.", "a."):
        path = tmp_path / f"{name}{ending}"
        frame = pl.DataFrame({"x": [1] if name == "a." else [1, 2]})
        write = {"jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
        write.get(ending, frame.write_csv)(path)
    assert read_table(tmp_path / f"[ab]*?.{ending}").height == 2


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_packed_table_is_read_like_the_table(tmp_path: Path, suffix: str) -> None:
    plain = write(tmp_path / f"my.rows{suffix}")
    packed = tmp_path / f"my.rows{suffix}.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_table(packed).equals(FRAME)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(InputError, match=rf"readable {suffix[1:]}\.gz file; got '.*my\.rows"):
        read_table(packed)


def test_a_packed_table_that_grows_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.files.tables._LEAST_BOUND", 2**16)
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"1\n" * 2**18))
    with pytest.raises(InputError, match=r"rows must unpack to at most \d+ bytes; got more"):
        read_table(path)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_table_comes_from_the_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    content = write(tmp_path / f"rows{suffix}").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_table("-").equals(FRAME)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" \n")))
    with pytest.raises(InputError, match="pool must have at least one row; got an empty standard"):
        read_table("-", what="pool")


def test_intervals_and_periods_of_pandas_are_texts_in_their_order() -> None:
    age = pd.cut(pd.Series([5, 40, 101, None]), [0, 18, 65, 120])
    rows = read_table(
        pd.DataFrame(
            {
                "age": age,
                "again": pd.IntervalIndex(age),
                "year": pd.PeriodIndex(["2020", "2021", "2021", None], freq="Y"),
            }
        )
    )
    assert rows["age"].to_list() == ["(0, 18]", "(18, 65]", "(65, 120]", None]
    assert rows["year"].to_list() == ["2020", "2021", "2021", None]
    assert Attribute.infer(rows["age"]).values == ("(0, 18]", "(18, 65]", "(65, 120]")
    assert Attribute.infer(rows["age"]).kind == "ordinal"
    assert rows["again"].cast(pl.String).str.contains("18").to_list() == [True, True, False, None]


def test_exact_decimals_are_numbers_and_long_whole_ones_keep_their_digits() -> None:
    prices = pl.Series([Decimal("2.50"), None])
    wide = pl.Series([2**100, None], dtype=pl.Int128)
    rows = read_table(pl.DataFrame({"price": prices, "wide": wide}))
    assert rows["price"].to_list() == [2.5, None]
    assert rows["wide"].to_list() == [str(2**100), None]
    odd = pl.Series([{1}, None], dtype=pl.Object)
    assert read_table(pl.DataFrame({"odd": odd}))["odd"].to_list() == ["{1}", None]
    whole = pl.Series([Decimal(10**17 + 1)], dtype=pl.Decimal(18, 0))
    assert read_table(pl.DataFrame({"id": whole}))["id"].to_list() == [10**17 + 1]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("rows.csv", True),
        ("a.b/ROWS.CSV.GZ", True),
        ("-", True),
        ("my.assay", False),
        ("my.gz", False),
        ("postgresql://host/db.csv", False),
    ],
)
def test_a_table_is_told_from_a_store_by_its_name(address: str, expected: bool) -> None:
    assert is_table(address) is expected


def test_whatever_a_library_does_with_a_damaged_table_is_one_error(tmp_path: Path) -> None:
    def panicking(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds")

    pl.DataFrame({"lists": [[1, 2]]}).write_parquet(tmp_path / "rows.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pl, "read_parquet", panicking)
        with pytest.raises(
            InputError, match=r"readable parquet file; got .*: index out of bounds"
        ):
            read_table(tmp_path / "rows.parquet")
    deep = tmp_path / "deep.jsonl"
    deep.write_text('{"a": ' + "[" * 200_000 + "]" * 200_000 + "}\n")
    with pytest.raises(InputError, match="readable jsonl file"):
        read_table(deep)


def test_of_parquet_only_the_columns_that_are_needed_are_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1], "b": [2], "p__x": [0.5], "p__y": [0.5], "text": ["long"]})
    frame.write_parquet(tmp_path / "rows.parquet")
    read = read_columns(tmp_path, ["a"], ["b", "c", "p__*"])
    assert_frame_equal(read, frame.drop("text"))
    assert_frame_equal(read_columns(tmp_path, ["z"], []), frame.clear())
    assert_frame_equal(read_columns(frame, ["a"], []), frame)


def test_a_folder_and_an_address_are_tables(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2]})
    frame.write_parquet(tmp_path / "rows.parquet")
    assert_frame_equal(read_table(tmp_path), frame)
    assert is_table(str(tmp_path))
    assert is_table("s3://bucket/rows")
    assert not is_table("postgresql://host/db")
