import polars as pl
import pytest
from rich.console import Console

from accuracy_assay.cli.tables import frame_table, text_table


def lines(table: object) -> list[list[str]]:
    """Return the texts of a table, row by row."""
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table)
    rows = [line for line in capture.get().splitlines() if "│" in line or "┃" in line]
    return [[part.strip() for part in row.replace("┃", "│").split("│")[1:-1]] for row in rows]


def test_texts_are_shown_as_they_are() -> None:
    table = text_table(("method", "error"), [("constant", "1.50 ± 0.10")])
    assert lines(table) == [["method", "error"], ["constant", "1.50 ± 0.10"]]
    assert [column.justify for column in table.columns] == ["left", "right"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (1.23456, "1.235"), (2.0, "2"), (12_345_678.0, "1.23e+07"), (7, "7")],
)
def test_numbers_have_no_more_digits_than_one_reads(value: float, text: str) -> None:
    assert lines(frame_table(pl.DataFrame({"x": [value]})))[1] == [text]


def test_what_is_missing_is_blank_and_numbers_are_to_the_right() -> None:
    table = frame_table(pl.DataFrame({"arm": ["F", None], "n": [1, 2]}))
    assert lines(table)[2] == ["", "2"]
    assert [column.justify for column in table.columns] == ["left", "right"]
