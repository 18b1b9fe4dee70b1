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
