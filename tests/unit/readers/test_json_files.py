"""JSON of other tools, whole and damaged."""

import gzip
from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.readers.json_files import json_lines, member_names, opening, read_json


def write(folder: Path, content: bytes, name: str = "log.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_lines_that_are_no_objects_are_counted_by_reason(tmp_path: Path) -> None:
    left_out: dict[str, str] = {}
    path = write(tmp_path, b'{"a": 1}\n\n[2]\n{"a": 3}\r\n7\n{"a"')
    assert json_lines(path, "a log", left_out) == [{"a": 1}, {"a": 3}]
    assert left_out == {
        "log.jsonl: not an object": "2 lines",
        "log.jsonl: not JSON": "1 lines",
    }


def test_a_list_of_objects_reads_as_lines_do(tmp_path: Path) -> None:
    path = write(tmp_path, b' [{"a": 1},\n {"a": 2}]')
    assert json_lines(path, "a log", {}) == [{"a": 1}, {"a": 2}]


def test_gzip_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(b'\xef\xbb\xbf{"a": 1}\n'), "log.jsonl.gz")
    assert json_lines(path, "a log", {}) == [{"a": 1}]
    assert opening(path, (".jsonl",)).startswith('{"a"')


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"7\n", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 9_999 + b"}"]
)
def test_a_file_without_objects_is_refused_by_its_name(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"log\.jsonl"):
        json_lines(write(tmp_path, content), "a log", {})


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"a":' * 100_000, b"9" * 9_999])
def test_a_document_that_is_not_json_is_refused_by_its_name(
    tmp_path: Path, content: bytes
) -> None:
    with pytest.raises(InputError, match=r"log\.json: "):
        read_json(write(tmp_path, content, "log.json"), "a log")


def test_the_opening_of_anything_else_is_empty(tmp_path: Path) -> None:
    write(tmp_path, b"not gzip", "log.jsonl.gz")
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("log.jsonl.gz", "folder.jsonl", "nowhere.jsonl", "a\x00b.jsonl"):
        assert opening(tmp_path / name, (".jsonl",)) == ""
    assert opening(write(tmp_path, b"{}", "log.csv"), (".jsonl",)) == ""


def test_members_are_named_two_deep_and_texts_are_passed_by(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"a": {"b": {"c": 1}, "d": [{"e": 2}]}, "f": "{\\"g\\": 3}", "h": [[{"i": 4}]]}'
    )
    assert member_names(path, (".json",)) == {"a", "a.b", "a.d", "f", "h"}
    assert member_names(path, (".jsonl",)) == set()


@pytest.mark.parametrize("content", ['"' + '\\"' * 10**6, "[" * 10**6 + "]" * 10**6, "{" * 10**6])
def test_members_of_anything_are_found_at_once(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    assert member_names(path, (".json",)) == set()
