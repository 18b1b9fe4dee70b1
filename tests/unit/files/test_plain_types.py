"""Types that nothing here computes with become numbers or texts, and lose no digit."""

from decimal import Decimal

import polars as pl

from accuracy_assay.files.plain_types import with_plain_types


def test_decimals_are_numbers_and_long_whole_numbers_texts() -> None:
    frame = pl.DataFrame(
        {
            "price": pl.Series([Decimal("1.50")], dtype=pl.Decimal(10, 2)),
            "id": pl.Series([Decimal(7)], dtype=pl.Decimal(18, 0)),
            "long": pl.Series([2**100], dtype=pl.Int128),
            "any": pl.Series([(1, 2)], dtype=pl.Object),
        }
    )
    plain = with_plain_types(frame)
    assert plain.row(0) == (1.5, 7, str(2**100), "(1, 2)")
    assert plain.dtypes == [pl.Float64, pl.Int64, pl.String, pl.String]


def test_other_tables_are_left_as_they_are() -> None:
    frame = pl.DataFrame({"a": [1.0], "b": ["x"], "c": [True]})
    assert with_plain_types(frame) is frame
