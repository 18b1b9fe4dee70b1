"""CSV as people write it: what a guess of types would lose is kept."""

from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.files.csv_table import read_csv


def rows_of(text: str, separator: str | None = None) -> list[tuple[object, ...]]:
    return read_csv(text.encode(), "rows.csv", separator).rows()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_what_divides_the_fields_is_seen_in_the_header(separator: str) -> None:
    text = 'id|name\n1|"a, b; c"\n2|x\n'.replace("|", separator)
    assert rows_of(text) == [(1, "a, b; c"), (2, "x")]


def test_a_single_column_needs_no_separator() -> None:
    assert rows_of("a\n1\n2\n") == [(1,), (2,)]


def test_numbers_with_leading_zeros_are_codes_and_keep_them() -> None:
    text = "zip,n,time,x\n00501,10,09:30,0.5\n12345,0,10:00,00.5\n"
    assert rows_of(text) == [("00501", 10, "09:30", 0.5), ("12345", 0, "10:00", 0.5)]
    assert rows_of("zip,n\n007,1\n\n008,2\n") == [("007", 1), ("008", 2)]


def test_a_file_and_its_bytes_are_one_table(tmp_path: Path) -> None:
    path = tmp_path / "rows[1].csv"
    text = "zip;share\n007;0,5\n008;\n"
    path.write_text(text)
    assert read_csv(path, "rows").rows() == rows_of(text) == [("007", 0.5), ("008", None)]


def test_a_comma_is_a_decimal_point_only_where_all_of_a_column_are_numbers() -> None:
    assert rows_of("a;b;c\n0,5;1,2;7\n1;x;8\n") == [(0.5, "1,2", 7), (1.0, "x", 8)]
    assert rows_of('a,b\n"0,5",1\n') == [("0,5", 1)]


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match=r"columns of rows\.csv .* got 'label' 2 times"):
        rows_of("id,label,label\n1,a,b\n")
    assert len(rows_of("id,,\n1,,\n")[0]) == 3  # as spreadsheets leave them


def test_every_line_with_other_fields_is_named() -> None:
    with pytest.raises(InputError, match=r"got 1 fields instead of 2 in line 3, 3 .* in line 5\."):
        rows_of("a,b\n1,2\n3\n4,5\n6,7,8\n")
    with pytest.raises(InputError, match=r"in line 2, .* and 15 more\."):
        rows_of("a,b\n" + "1\n" * 25)
