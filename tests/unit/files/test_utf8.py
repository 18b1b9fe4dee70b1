"""Bytes that are no text are named with their line and what stands before them."""

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.files.csv_table import read_csv
from accuracy_assay.files.utf8 import refuse_other_bytes


def test_text_passes() -> None:
    refuse_other_bytes("größe,ß\n".encode(), "rows")


@pytest.mark.parametrize("bad", [b"\xff", b"\xed\xa0\x80", b"gr\xf6\xdfe"])
def test_a_csv_of_other_bytes_is_refused(bad: bytes) -> None:
    content = b"sex,ok\n" + b"f,1\n" * 30 + b"m" + bad + b",0\n"
    with pytest.raises(InputError, match=r"rows must be text in UTF-8; got b'm.* in line 32"):
        read_csv(content, "rows")
