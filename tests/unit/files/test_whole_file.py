"""A file is there whole or not at all, whoever else writes it and whatever goes wrong."""

import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from patience import PATIENCE_S

from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import require_writable, whole_file, write_whole

SIZE = 200_000


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_path_holds_the_old_file_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["f"]


def test_texts_are_utf_8_with_their_own_line_ends_and_bytes_are_as_they_are(
    tmp_path: Path,
) -> None:
    write_whole(tmp_path / "text", "é\r\nb\n")
    write_whole(str(tmp_path / "bytes"), b"\xff\x00")
    assert (tmp_path / "text").read_bytes() == b"\xc3\xa9\r\nb\n"
    assert (tmp_path / "bytes").read_bytes() == b"\xff\x00"


def test_a_block_that_fails_leaves_the_old_file_and_no_scraps(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")

    def fail_halfway() -> None:
        with whole_file(path) as file:
            file.write(b"half of the new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_halfway()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["f"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_scraps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "f"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(InputError, match=r"file must have room on its disk; got '.*/f', whose"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["f"]


def test_a_write_that_the_disk_refuses_leaves_nothing(tmp_path: Path) -> None:
    # A limit on the size of files is a disk that is full for one process.
    code = (
        "import resource, signal, sys\n"
        "from accuracy_assay.files.whole_file import write_whole\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_whole(sys.argv[1], b'x' * 5000)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "f")], capture_output=True, text=True
    )
    assert "whose disk is full" in ended.stderr
    assert names(tmp_path) == []


def test_threads_that_save_one_path_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    contents = [bytes([65 + k]) * SIZE for k in range(4)]
    failures: list[BaseException] = []

    def save(content: bytes) -> None:
        try:
            for _ in range(20):
                write_whole(path, content)
                assert path.read_bytes() in contents
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=save, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert path.read_bytes() in contents
    assert names(tmp_path) == ["f"]


def test_processes_that_save_one_path_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    code = (
        "import sys\n"
        "from accuracy_assay.files.whole_file import write_whole\n"
        f"for _ in range(40): write_whole(sys.argv[1], sys.argv[2] * {SIZE})\n"
    )
    letters = ("a", "b")
    savers = [subprocess.Popen([sys.executable, "-c", code, str(path), c]) for c in letters]
    assert [saver.wait(PATIENCE_S) for saver in savers] == [0, 0]
    assert path.read_text() in [letter * SIZE for letter in letters]
    assert names(tmp_path) == ["f"]


def test_a_new_file_has_the_permissions_of_a_plain_open(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "ours", "x")
        (tmp_path / "plain").write_text("x")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE((tmp_path / n).stat().st_mode) for n in ("ours", "plain")}
    assert modes == {0o640}


def test_a_replaced_file_hands_its_permissions_on(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    path.chmod(0o604)
    write_whole(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there" / "f")
    write_whole(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "there" / "f").read_text() == "new"


def test_what_is_no_file_is_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path, "a folder"), (tmp_path / "pipe", "a pipe")):
        with pytest.raises(InputError, match=rf"page must be a file; got '{path}', .* {kind}"):
            write_whole(path, "x", "page")
    with pytest.raises(InputError, match="page must be a file; got '/dev/null', which is a dev"):
        write_whole("/dev/null", "x", "page")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "f"
    with pytest.raises(InputError, match=r"page must go to an existing folder; got '.*nowhere'"):
        write_whole(path, "x", "page")
    (tmp_path / "nowhere").write_text("a file")
    with pytest.raises(InputError, match="must go to an existing folder"):
        write_whole(path, "x", "page")


# Run by a process of its own, which gives up root's right to write everything.
REFUSED = """
import os, sys
from pathlib import Path
from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import write_whole

folder, nobody = Path(sys.argv[1]), 65534
if os.geteuid() == 0:
    os.chown(folder, nobody, nobody)
    os.setgid(nobody)
    os.setuid(nobody)

def refused(path):
    try:
        write_whole(path, "new")
    except InputError as error:
        print(error)

(folder / "f").write_text("old")
(folder / "f").chmod(0o444)
refused(folder / "f")
folder.chmod(0o555)
refused(folder / "new")
folder.chmod(0o755)
"""


def test_what_may_not_be_written_is_refused() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            [sys.executable, "-c", REFUSED, folder], capture_output=True, text=True, check=True
        )
        file, place = ended.stdout.splitlines()
        assert "must be a writable file" in file
        assert "must go to a writable folder" in place
        assert (Path(folder) / "f").read_text() == "old"


def test_a_place_can_be_checked_before_there_is_anything_to_write(tmp_path: Path) -> None:
    require_writable(tmp_path / "f")
    assert names(tmp_path) == []
    for wrong in (tmp_path, tmp_path / "none" / "f", Path(os.devnull)):
        with pytest.raises(InputError, match=r"^page must "):
            require_writable(wrong, "page")


def test_a_read_only_disk_is_named_without_the_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system", str(tmp_path / ".assay-1.part"))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"must go to a writable folder; got '[^']*'\.$") as error:
        write_whole(tmp_path / "f", "new")
    assert ".part" not in str(error.value)


def test_another_error_names_the_place_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error", str(tmp_path / ".assay-1.part"))

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="Input/output") as error:
        write_whole(tmp_path / "f", "new")
    assert str(error.value.filename) == str(tmp_path / "f")
