"""Archives that nobody vouches for are read within bounds, and damage is noticed."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from made_logs import inspect_log, inspect_sample, write_eval, write_zstandard

from accuracy_assay.errors import InputError
from accuracy_assay.readers import unpacking
from accuracy_assay.readers.archives import TooLargeError, opened_archive
from accuracy_assay.readers.inspect import InspectLogs

READER = InspectLogs()
SAMPLES = [inspect_sample(n, {"match": "CIPN"[n]}) for n in range(4)]


def test_a_member_that_is_too_large_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    for name, write in (("a.eval", write_eval), ("b.eval", write_zstandard)):
        with opened_archive(write(tmp_path / name, inspect_log(SAMPLES)), "a log") as archive:
            assert archive.json("header.json")["status"] == "success"
            with pytest.raises(TooLargeError, match=r"header\.json is larger than 10 bytes"):
                archive.json("header.json", 10)


def test_whatever_goes_wrong_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{half")
    refused = pytest.raises(InputError, match=r"must be a log; got .*a\.eval")
    with refused, opened_archive(path, "a log") as opened:
        opened.json("header.json")


def test_an_archive_made_to_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_ALWAYS_ALLOWED", 1_000_000)
    bomb = inspect_log([SAMPLES[0] | {"events": ["0" * 30_000_000]}])
    for name, write in (("a.eval", write_eval), ("b.eval", write_zstandard)):
        path = write(tmp_path / name, bomb)
        with pytest.raises(InputError, match=f"fill the memory; got .*{name}"):
            READER.read([path])


def test_a_changed_byte_of_a_packed_member_is_noticed(tmp_path: Path) -> None:
    path = write_zstandard(tmp_path / "a.eval", inspect_log(SAMPLES))
    content = bytearray(path.read_bytes())
    at = content.index(b"_journal/start.json") + 40
    for change in range(1, 40):
        content[at + change] ^= 0xFF
    path.write_bytes(bytes(content))
    log = READER.read([path])  # the start is not needed where there is a header
    assert log.rows.height == 4
    at = content.index(b"header.json") + 30
    content[at] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"a\.eval"):
        READER.read([path])
