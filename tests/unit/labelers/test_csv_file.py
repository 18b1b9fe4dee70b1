"""Tasks as CSV, and the answers that people filled in."""

import csv
from pathlib import Path

import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.labelers.csv_file import CsvFile
from accuracy_assay.protocols import LabelTask, Returned

TASKS = [
    LabelTask("x1", (("audio", "file", "a, b.wav"),), "sex=f", "at random"),
    LabelTask(
        "007", (("audio", "file", 'q"\nz'),), "sex=m", "at random", (("google", "cat", 0.5),)
    ),
]


def test_csv_tasks_come_back_as_answers_once_people_filled_them_in(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    CsvFile().write(TASKS, ["cat", "dog"], path)
    assert CsvFile().read(path) == []
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["file"] for row in rows] == ["a, b.wav", 'q"\nz']
    assert [row["prediction of google"] for row in rows] == ["", "cat"]
    more = {"label": "01", "annotator": "ann", "seconds": "2.5", "confirmed_sex": "f"}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0], "annotator", "seconds", "confirmed_sex"])
        writer.writeheader()
        writer.writerows([rows[0], rows[1] | more])
    assert CsvFile().read(path) == [Returned("007", "01", "ann", {"sex": "f"}, 2.5)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,lable\nx1,cat\n", "got 'label'. Did you mean 'lable'"),
        ("", "got 'id'"),
        ("id,label\nx1,cat,dog\n", "row 1 of a.csv must have as many fields"),
        ("id,label,arm\nx1,cat\n", "row 1 of a.csv must have as many fields"),
        ("id,label,seconds\nx1,cat,long\n", "number of seconds; got 'long'"),
        ('id,label\nx1,"cat\n', "must be CSV"),
    ],
)
def test_a_bad_csv_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        CsvFile().read(path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfid,label\r\nx1,cat\r\n")
    assert CsvFile().read(path) == [Returned("x1", "cat")]
    path.write_bytes(b"\xef\xbb\xbf")
    with pytest.raises(UnknownNameError, match="got 'id'"):
        CsvFile().read(path)


@pytest.mark.parametrize(
    "text",
    ["=cmd|'/C calc'!A0", "+1+cmd()", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=x", "''=x", "-", "'"],
)
def test_formulas_are_neutral_in_the_file_and_come_back_as_they_were(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "tasks.csv"
    task = LabelTask(text, (("text", "words", text),), "sex=f", "at random", (), text)
    CsvFile().write([task], [], path)
    with path.open(newline="", encoding="utf-8") as file:
        header, row = csv.reader(file)
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, [*row[:-1], "cat"]])
    assert CsvFile().read(path) == [Returned(text, "cat", text)]


def test_negative_numbers_are_no_formulas(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    CsvFile().write([LabelTask("-5", (("text", "x", "-1.5e-3"),), "", "")], [], path)
    assert "\n-5,-1.5e-3," in path.read_text()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_fields_may_be_divided_as_spreadsheets_do(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id{separator}label\nx1{separator}cat\n\nx2{separator}  \n", encoding="utf-8")
    assert CsvFile().read(path) == [Returned("x1", "cat")]


@pytest.mark.parametrize("name", ["label", "id", "annotator", "confirmed_sex"])
def test_a_column_that_is_read_must_not_stand_there_twice(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,label,arm,{name},{name}\nx1,cat,,dog,cow\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"column '{name}' of a\.csv must stand there once"):
        CsvFile().read(path)


def test_every_bad_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,label,seconds\nx1,cat,long\nx2,cat,1\nx3,cat\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*row 1 .*'long'.*\n.*row 3 of"):
        CsvFile().read(path)


def test_a_shown_column_is_never_taken_for_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    CsvFile().write([LabelTask("x1", (("text", "label", "dog"),), "", "", (), "ann")], [], path)
    assert path.read_text() == "id,label (shown),arm,why,annotator,label\nx1,dog,,,ann,\n"
    assert CsvFile().read(path) == []


def test_a_header_with_a_lone_carriage_return_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_bytes(b"id,lab\rel\nx1,cat\n")
    with pytest.raises(InputError):
        CsvFile().read(path)
