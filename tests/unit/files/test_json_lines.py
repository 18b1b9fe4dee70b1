"""JSON lines: read as Polars reads them, with the place of bytes that are no text."""

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
