"""JSON lines: read as Polars reads them, with the place of bytes that are no text."""

import json
from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.files.json_lines import read_json_lines


def test_types_are_those_of_all_lines(tmp_path: Path) -> None:
    content = b'{"a": 1, "b": "x"}\n{"a": 2.5, "b": "y"}\n'
    path = tmp_path / "[1]*.jsonl"
    path.write_bytes(content)
    assert read_json_lines(content, "rows").rows() == [(1.0, "x"), (2.5, "y")]
    assert read_json_lines(path, "rows").equals(read_json_lines(content, "rows"))


@pytest.mark.parametrize("bad", [b"\xff", b"\xed\xa0\x80", b"\xc3"])
def test_bytes_that_are_no_text_are_named_with_their_line(bad: bytes) -> None:
    content = b'{"a": "x"}\n{"a": "y' + bad + b'"}\n'
    with pytest.raises(InputError, match=r"rows must be text in UTF-8; got .* in line 2"):
        read_json_lines(content, "rows")


@pytest.mark.parametrize(
    "text",
    [r"f\ud800", r"\uD83Dx", r"a\\\udbff", r"\ud83d\ud83d\ude00", r"x\udc00", r"\ude00\ud83d"],
)
def test_half_a_character_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    content = f'{{"sex": "m"}}\n{{"sex": "{text}"}}\n'.encode()
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    for source in (content, path):
        with pytest.raises(InputError, match=r"rows must hold whole characters; got .* in line 2"):
            read_json_lines(source, "rows")


@pytest.mark.parametrize(
    "text",
    ["😀", "\U0001f600\U0001f600x", r"\\ud800", r"\\\\ud800", "\\\U0001f600", "\ufffd", "\0", "퟿"],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_whole_characters_pass_however_they_are_written(text: str, ascii_only: bool) -> None:
    content = json.dumps({"sex": text}, ensure_ascii=ascii_only).encode()
    assert read_json_lines(content, "rows").item() == text
