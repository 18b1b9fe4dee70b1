"""Images and recordings: from bytes, a data: URL, or a file of the folder and no other."""

import base64
import os
from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.spec.model import PoolSection
from accuracy_assay.web.label.media import is_media, kind_of, media_folder, read_media

PNG = b"\x89PNG\r\n\x1a\n rest"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "media"
    (inside / "deep").mkdir(parents=True)
    (inside / "a.png").write_bytes(PNG)
    (inside / "deep" / "b.wav").write_bytes(WAV)
    (tmp_path / "secret.png").write_bytes(PNG)
    return inside


def test_media_are_in_the_declared_folder_or_next_to_the_pool(tmp_path: Path) -> None:
    pool = str(tmp_path / "pool.csv")
    assert media_folder(PoolSection()) is None
    assert media_folder(PoolSection(path=pool)) == tmp_path
    assert media_folder(PoolSection(path=pool, media="elsewhere")) == Path("elsewhere")


def test_bytes_addresses_and_files_are_read(folder: Path) -> None:
    data = "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert read_media(PNG, None, "picture") == (PNG, "image/png")
    assert read_media(data, None, "picture") == (PNG, "image/png")
    assert read_media("data:,GIF89a%20", None, "picture") == (b"GIF89a ", "image/gif")
    assert read_media("a.png", folder, "picture") == (PNG, "image/png")
    assert read_media("deep/b.wav", folder, "sound") == (WAV, "audio/wav")
    assert read_media(str(folder / "a.png"), folder, "picture")[0] == PNG


@pytest.mark.parametrize(
    "name",
    [
        "../secret.png",
        "deep/../../secret.png",
        "/etc/passwd",
        "nowhere.png",
        "deep",
        "",
        ".",
        "a\x00",
    ],
)
def test_nothing_outside_the_folder_is_read(folder: Path, name: str) -> None:
    with pytest.raises(InputError):
        read_media(name, folder, "picture")


def test_an_absolute_path_or_a_link_leads_nowhere_outside(folder: Path, tmp_path: Path) -> None:
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "out").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "inner.png").symlink_to(folder / "a.png")
    for name in (str(tmp_path / "secret.png"), "link.png", "out/secret.png", "loop"):
        with pytest.raises(InputError, match="file in the pool's media folder"):
            read_media(name, folder, "picture")
    assert read_media("inner.png", folder, "picture")[0] == PNG


def test_a_pipe_or_a_folder_that_is_not_there_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe.png")
    for name, where in (("pipe.png", folder), ("a.png", folder / "none"), ("a.png", None)):
        with pytest.raises(InputError):
            read_media(name, where, "picture")


@pytest.mark.parametrize(
    "content", [b"<svg onload='alert(1)'>", b"<!doctype html>", b"%PDF-1.7", b"", b"MZ\x90"]
)
def test_what_is_no_image_or_recording_is_not_sent(content: bytes) -> None:
    with pytest.raises(InputError, match="image or a recording"):
        read_media(content, None, "picture")


def test_a_broken_address_is_refused() -> None:
    for address in ("data:image/png;base64", "data:image/png;base64,!!!", "data:"):
        with pytest.raises(InputError, match="data: URL"):
            read_media(address, None, "picture")
    with pytest.raises(InputError, match="must be bytes"):
        read_media(7, None, "picture")


def test_kinds_are_told_by_the_first_bytes() -> None:
    known = {
        b"\xff\xd8\xff\xe0": "image/jpeg",
        b"RIFF0000WEBPVP8 ": "image/webp",
        b"ID3\x04": "audio/mpeg",
        b"OggS\x00": "audio/ogg",
        b"fLaC\x00": "audio/flac",
        b"\x00\x00\x00\x20ftypM4A ": "audio/mp4",
        b"\x00\x00\x00\x20ftypavif": "image/avif",
        b"\x1a\x45\xdf\xa3": "audio/webm",
    }
    assert {content: kind_of(content) for content in known} == known


def test_addresses_on_other_hosts_are_shown_as_text() -> None:
    assert is_media(b"x")
    assert is_media("a.png")
    assert is_media("data:image/png;base64,")
    for address in ("http://x/a.png", "HTTPS://x/a.png", "//x/a.png", None, 3):
        assert not is_media(address)
