"""Entries of a cache: whole or not there, never trusted once something touched them."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.session.cache.entries import (
    Card,
    cache_folder,
    entry_at,
    fingerprint,
    keep,
    keep_files,
    recall,
)
from accuracy_assay.storage.memory import MemoryStore


def write(folder: Path) -> Card:
    (folder / "one").write_bytes(b"first")
    (folder / "two").write_bytes(b"second")
    return {"what": ["a", 1.5, None], "ü": {"3": "x"}}


def read(folder: Path, card: Card) -> tuple[bytes, Card]:
    return (folder / "one").read_bytes(), card


KEPT = (b"first", {"what": ["a", 1.5, None], "ü": {"3": "x"}})


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """An entry that is kept."""
    made = entry_at(tmp_path / "cache", "pool", {"of": 1}, "now")
    assert made is not None
    keep(made, write)
    return made


def folders(cache: Path) -> list[Path]:
    return sorted(path for path in cache.iterdir() if path.is_dir())


def test_the_cache_lies_beside_the_file_of_the_store(tmp_path: Path) -> None:
    assert cache_folder(tmp_path / "a.assay") == tmp_path / "a.assay.cache"
    assert cache_folder(str(tmp_path / "a.assay")) == tmp_path / "a.assay.cache"
    assert cache_folder(MemoryStore()) is None


def test_the_cache_of_a_database_lies_in_the_users_cache_and_hides_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = cache_folder("postgresql://ann:secret@host/one")
    assert first is not None
    assert first.parent == tmp_path / "accuracy-assay"
    assert "secret" not in str(first)
    assert first == cache_folder("postgresql://ann:secret@host/one")
    assert first != cache_folder("postgresql://ann:secret@host/two")
    monkeypatch.delenv("XDG_CACHE_HOME")
    elsewhere = cache_folder("postgresql://host/one")
    assert elsewhere is not None
    assert elsewhere.parent == Path.home() / ".cache" / "accuracy-assay"


def test_a_password_leaves_no_trace_in_the_name_of_the_cache() -> None:
    named = {
        cache_folder(address)
        for address in (
            "postgresql://host/db",
            "postgresql://ann:hunter2@host/db",
            "postgresql://ann:other@host/db?password=x",
        )
    }
    assert len(named) == 1
    assert cache_folder("postgresql://host/other") not in named


def test_what_is_kept_is_recalled(entry: Path) -> None:
    assert recall(entry, read) == KEPT
    assert folders(entry.parent) == [entry]


def test_without_a_cache_nothing_is_kept() -> None:
    nowhere = entry_at(None, "pool", 1, 2)
    assert nowhere is None
    keep(nowhere, write)
    assert recall(nowhere, read) is None


def test_kind_name_and_state_tell_entries_apart(tmp_path: Path) -> None:
    found = {
        entry_at(tmp_path, kind, of, state)
        for kind in ("pool", "fit")
        for of in ("a", ["a"], {"a": "\ud800"})
        for state in (1, 1.5, [])
    }
    assert len(found) == 18
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})


def test_the_next_state_takes_the_place_of_the_one_before_and_of_no_other(entry: Path) -> None:
    cache = entry.parent
    other, later = entry_at(cache, "pool", {"of": 2}, 1), entry_at(cache, "pool", {"of": 1}, 2)
    for each in (other, later):
        keep(each, write)
    assert folders(cache) == sorted([other, later])  # type: ignore[type-var]
    assert recall(entry, read) is None


def test_what_is_there_is_not_written_again(entry: Path) -> None:
    def never(folder: Path) -> Card:
        raise AssertionError("it was written again")

    keep(entry, never)
    assert recall(entry, read) == KEPT


DAMAGE = {
    "cut short": lambda entry: (entry / "one").write_bytes(b"fir"),
    "changed": lambda entry: (entry / "one").write_bytes(b"other"),
    "replaced": lambda entry: (entry / "two").replace(entry / "one"),
    "deleted": lambda entry: (entry / "one").unlink(),
    "added": lambda entry: (entry / "three").write_bytes(b"?"),
    "no card": lambda entry: (entry / "card.json").unlink(),
    "empty card": lambda entry: (entry / "card.json").write_bytes(b""),
    "binary card": lambda entry: (entry / "card.json").write_bytes(b"\xff\x00"),
    "foreign card": lambda entry: (entry / "card.json").write_text('{"n_pool": 3, "sizes": {}}'),
    "edited card": lambda entry: (entry / "card.json").write_text(
        (entry / "card.json").read_text().replace("1.5", "2.5")
    ),
    "empty folder": lambda entry: [path.unlink() for path in entry.iterdir()],
    "gone": shutil.rmtree,
    "a file": lambda entry: (shutil.rmtree(entry), entry.write_bytes(b"in the way")),
    "no cache": lambda entry: shutil.rmtree(entry.parent),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_was_damaged_is_not_trusted_and_is_made_anew(entry: Path, damage: str) -> None:
    DAMAGE[damage](entry)
    assert recall(entry, read) is None
    keep(entry, write)
    assert recall(entry, read) == (None if damage == "a file" else KEPT)


def test_what_cannot_be_read_though_it_is_as_it_was_written_is_made_anew(entry: Path) -> None:
    def fail(folder: Path, card: Card) -> None:
        raise RuntimeError("another format")

    assert recall(entry, fail) is None
    written = []
    keep(entry, lambda folder: written.append(folder))
    assert len(written) == 1
    assert recall(entry, lambda _, card: card) == {}


def test_a_folder_of_another_format_is_removed(entry: Path) -> None:
    old = entry.parent / "pool-0123-4567"
    old.mkdir()
    (old / "card.json").write_text('{"n_pool": 3, "sizes": {"ids.ends": 8}}')
    (old / "ids.ends").write_bytes(bytes(8))
    own = entry.parent / "pictures"  # of somebody whose folder this was before
    own.mkdir()
    assert recall(old, read) is None
    keep(entry_at(entry.parent, "pool", 1, 1), write)
    assert not old.exists()
    assert own.is_dir()
    assert recall(entry, read) == KEPT


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the way")
    entry = entry_at(tmp_path / "cache", "pool", 1, 1)
    keep(entry, write)
    assert recall(entry, read) is None


def test_a_full_disk_leaves_nothing_half_done(entry: Path) -> None:
    def fill(folder: Path) -> Card:
        write(folder)
        raise OSError(28, "No space left on device")

    later = entry_at(entry.parent, "pool", {"of": 2}, 1)
    keep(later, fill)
    assert recall(later, read) is None
    assert folders(entry.parent) == [entry]


def test_a_mistake_while_writing_is_raised_and_leaves_nothing(entry: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        keep(entry_at(entry.parent, "fit", 1, 1), lambda folder: {"x": 1 / 0})
    assert folders(entry.parent) == [entry]


def test_a_cache_that_is_deleted_while_something_is_kept_is_no_error(entry: Path) -> None:
    def write_less(folder: Path) -> Card:
        shutil.rmtree(entry.parent)
        return write(folder)

    keep(entry_at(entry.parent, "fit", 1, 1), write_less)
    assert not entry.parent.exists()


def test_whatever_fails_because_the_cache_was_deleted_is_no_error(entry: Path) -> None:
    def fail(folder: Path) -> Card:
        shutil.rmtree(entry.parent)
        raise InputError("the file must go to an existing folder")

    keep(entry_at(entry.parent, "fit", 1, 1), fail)
    assert not entry.parent.exists()


def test_who_finds_another_keeping_something_keeps_nothing(entry: Path) -> None:
    other = entry_at(entry.parent, "fit", 1, 1)

    def meanwhile(folder: Path) -> Card:
        keep(other, write)
        return {}

    later = entry_at(entry.parent, "pool", 3, 3)
    keep(later, meanwhile)
    assert recall(later, lambda *_: True)
    assert recall(other, read) is None
    keep(other, write)
    assert recall(other, read) == KEPT


@pytest.mark.parametrize("error", [OSError(37, "No locks available"), ImportError("fcntl")])
def test_without_locks_things_are_kept_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("fcntl.flock", refuse)
    entry = entry_at(tmp_path, "pool", 1, 1)
    keep(entry, write)
    assert recall(entry, read) == KEPT


KILLED = """
import os, sys
from pathlib import Path
from accuracy_assay.session.cache.entries import keep

def write(folder):
    (folder / "one").write_bytes(b"half")
    print(folder, flush=True)
    os.kill(os.getpid(), 9)

keep(Path(sys.argv[1]), write)
"""


def test_who_is_killed_while_keeping_leaves_what_the_next_one_removes(entry: Path) -> None:
    later = entry_at(entry.parent, "pool", 3, 3)
    words = [sys.executable, "-c", KILLED, str(later)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    half = Path(done.stdout.strip())
    assert half.is_dir()
    assert recall(later, read) is None
    keep(later, write)
    assert recall(later, read) == KEPT
    assert folders(entry.parent) == sorted([entry, later])  # type: ignore[type-var]


CROWD = """
import shutil, sys
from pathlib import Path
from accuracy_assay.session.cache.entries import keep, recall

entry, number = Path(sys.argv[1]), int(sys.argv[2])

def write(folder):
    for name in ("one", "two"):
        (folder / name).write_bytes(name.encode() * 1000)
    return {"whole": True}

def read(folder, card):
    return card, *((folder / name).read_bytes() for name in ("one", "two"))

for turn in range(20):
    keep(entry, write)
    assert recall(entry, read) in (None, ({"whole": True}, b"one" * 1000, b"two" * 1000))
    if turn % 3 == number:
        shutil.rmtree(entry.parent, ignore_errors=True)
keep(entry, write)
"""


def test_processes_that_keep_recall_and_delete_at_once_see_whole_entries(tmp_path: Path) -> None:
    entry = entry_at(tmp_path / "cache", "pool", 1, 1)
    words = [sys.executable, "-c", CROWD, str(entry)]
    crowd = [subprocess.Popen([*words, str(number)]) for number in range(3)]
    assert [process.wait() for process in crowd] == [0, 0, 0]
    assert folders(tmp_path / "cache") == [entry]
    assert recall(entry, lambda _, card: card) == {"whole": True}


def test_files_are_copied_where_the_store_has_a_cache(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / "a.texts.parquet").write_bytes(b"new")
    cache = tmp_path / "my.assay.cache"
    keep_files(made, cache)
    keep_files(made, None)
    keep_files(made, made / "a.texts.parquet")  # a file in the way
    assert [path.name for path in cache.iterdir()] == ["a.texts.parquet"]
    assert (cache / "a.texts.parquet").read_bytes() == b"new"


def test_an_entry_that_was_copied_with_its_times_is_as_good(entry: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(entry, tmp_path / "copy" / entry.name)
    assert recall(copy, read) == KEPT
    os.utime(copy / "one")
    assert recall(copy, read) is None
