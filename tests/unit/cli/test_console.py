import json
import re
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

import accuracy_assay.cli
from accuracy_assay.cli.console import (
    frame_table,
    one_line,
    print_json,
    remark,
    remarks,
    results,
    steps,
    text_table,
)


def test_results_and_remarks_go_to_different_places(capsys: pytest.CaptureFixture[str]) -> None:
    results().print("a result")
    remarks().print("a remark")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("a result\n", "a remark\n")


def test_a_wide_line_is_not_broken_where_no_one_sees_the_width(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results().print("x" * 150)
    assert capsys.readouterr().out == "x" * 150 + "\n"


def test_what_json_does_not_know_is_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"level": 0.9, "kind": ValueError("x")})
    assert json.loads(capsys.readouterr().out) == {"level": 0.9, "kind": "x"}


def test_progress_ends_where_the_steps_end(capsys: pytest.CaptureFixture[str]) -> None:
    with steps("labels") as advance:
        advance(1, 4, "begun")
        advance(4, 4, "done")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "4/4" in captured.err
    assert "done" in captured.err


def test_the_numbers_of_progress_are_whole_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with steps("labels") as advance:
        advance(600, 1_800, "macro MSE 1.56  anova-gp+signals/variance-reduction")
    (line,) = (text for text in capsys.readouterr().err.splitlines() if "600" in text)
    assert len(line) <= 80
    assert "600/1800" in line
    assert "0:00:00" in line
    assert "macro MSE 1.56  anova" in line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I [not] agree", "I [not] agree"),
        ("[/INST]", "[/INST]"),
        (":smile:", ":smile:"),
        ("\x1b[2J\r\x00\u202e\ud800", r"\x1b[2J\r\x00\u202e\ud800"),
    ],
)
def test_every_text_is_shown_as_it_is_wherever_it_stands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, shown: str
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    table = Table(title=text, caption=text)
    table.add_column(text)
    table.add_row(text)
    for console in (results(), remarks()):
        console.print(text)
        console.print(table)
    with steps(text) as advance:
        advance(1, 1, text)
    captured = capsys.readouterr()
    assert captured.out.count(shown) == 5
    assert captured.err.count(shown) == 7


def test_a_finished_text_hides_nothing_either(capsys: pytest.CaptureFixture[str]) -> None:
    results().print(Text("a\x1b[2Jb\u202e"))
    assert capsys.readouterr().out == "a\\x1b[2Jb\\u202e\n"


def test_a_value_in_a_line_makes_no_second_line() -> None:
    assert one_line("bob\nerror: \tno disk") == r"bob\nerror: \tno disk"


def test_a_remark_is_one_line_however_long(capsys: pytest.CaptureFixture[str]) -> None:
    remark("wrote " + "x " * 200)
    assert capsys.readouterr().err.count("\n") == 1


def test_numbers_that_json_does_not_know_are_null(capsys: pytest.CaptureFixture[str]) -> None:
    print_json([{"a": float("nan"), "b": (float("inf"), 1)}])
    assert json.loads(capsys.readouterr().out) == [{"a": None, "b": [None, 1]}]


def test_no_command_makes_a_console_of_its_own() -> None:
    folder = Path(accuracy_assay.cli.__file__).parent
    makers = [
        path.name
        for path in folder.glob("*.py")
        if re.search(r"\bConsole\(|rich import print|\bpprint\(", path.read_text(encoding="utf-8"))
    ]
    assert makers == []


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
