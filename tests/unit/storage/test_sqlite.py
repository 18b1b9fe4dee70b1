"""What is special about the SQLite file: bad paths, a full disk, a lost answer."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import AssayError, DamageError, InputError, StoreError
from accuracy_assay.storage.chain import checksum, good_events
from accuracy_assay.storage.sql import SqlStore
from accuracy_assay.storage.sqlite import SqliteDatabase, open_sqlite

SKIPPED = Skipped(("x1",), "ann")


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "none.assay"
    with pytest.raises(InputError, match=r"existing file; got '.*none\.assay'"):
        open_sqlite(str(path))
    assert not path.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="existing folder"):
        open_sqlite(str(tmp_path / "no" / "s.assay"), is_new=True)
    with pytest.raises(InputError, match="existing file"):
        open_sqlite(str(tmp_path), is_new=True)


@pytest.mark.parametrize("content", [b"no database, but long enough to look" * 9, b"PAR1"])
def test_another_kind_of_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pool.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a file that this package made; got '.*pool\.parquet'"):
        open_sqlite(str(path))
    assert path.read_bytes() == content


class Small(SqliteDatabase):
    """A database whose file may not grow."""

    def connect(self) -> sqlite3.Connection:
        connection = super().connect()
        connection.execute("PRAGMA max_page_count = 1")  # SQLite takes the present size
        return connection


class Forgetful(SqliteDatabase):
    """A database whose first answer to a commit is lost on its way."""

    n_lost = 0

    def commit(self, connection: sqlite3.Connection) -> None:
        super().commit(connection)
        if not self.n_lost:
            self.n_lost += 1
            cause = sqlite3.OperationalError("the answer was lost")
            cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise cause


class Hasty(SqliteDatabase):
    """A database that hardly waits for a lock."""

    def connect(self) -> sqlite3.Connection:
        connection = super().connect()
        connection.execute("PRAGMA busy_timeout = 50")
        return connection


def test_a_full_disk_is_named_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "full.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [SKIPPED])

    large = Told(tuple(f"x{i}" for i in range(5000)), ("cat",) * 5000, "ann")
    with pytest.raises(StoreError, match=r"disk of '.*full\.assay' is full: make room.*Nothing"):
        SqlStore(Small(path)).append("a", [large])
    assert [r.event for r in store.read("a")] == [SKIPPED]
    assert store.append("a", [large]) == 2
    assert store.read("a")[1].event == large


def test_a_full_disk_says_so_to_who_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "full.assay"
    open_sqlite(str(path), is_new=True).create("a", [SKIPPED])

    class NoIndex(SqliteDatabase):
        def connect(self) -> sqlite3.Connection:  # type: ignore[override]
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
            raise error

    with pytest.raises(StoreError, match="It came from"):
        SqlStore(NoIndex(path)).read("a")
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result((4096, 4096) + (0,) * 8))
    with pytest.raises(StoreError, match=r"disk of '.*full\.assay' is full: make room"):
        SqlStore(NoIndex(path)).read("a")


def test_an_append_whose_answer_was_lost_happens_once(tmp_path: Path) -> None:
    path = tmp_path / "once.assay"
    open_sqlite(str(path), is_new=True).create("a", [SKIPPED])
    database = Forgetful(path)
    store = SqlStore(database)
    assert store.append("a", [SKIPPED], expected_seq=1) == 2
    assert database.n_lost == 1
    assert len(store.read("a")) == 2


def test_a_lock_that_is_never_given_back_ends_with_a_message(tmp_path: Path) -> None:
    path = tmp_path / "locked.assay"
    open_sqlite(str(path), is_new=True).create("a", [SKIPPED])
    store = SqlStore(Hasty(path), patience_s=0.3)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreError, match=r"kept '.*' locked for long"):
        store.append("a", [SKIPPED])
    other.execute("ROLLBACK")
    assert store.append("a", [SKIPPED]) == 2
    other.close()


def change(path: Path, *statements: str) -> None:
    """Change the file behind the store's back."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (
            "UPDATE assay_events SET payload = '{\"idz\": 1}' WHERE seq = 3",
            "its checksum does not",
        ),
        ("UPDATE assay_events SET payload = CAST(x'ff' AS TEXT) WHERE seq = 3", "does not fit"),
        ("UPDATE assay_events SET kind = 'Rejected' WHERE seq = 3", "its checksum does not fit"),
        ("UPDATE assay_events SET at = at + 1e-6 WHERE seq = 3", "its checksum does not fit"),
        ("UPDATE assay_events SET at = 'soon' WHERE seq = 3", "its checksum does not fit"),
        ("UPDATE assay_events SET checksum = NULL WHERE seq = 3", "one without a checksum"),
        ("UPDATE assay_events SET seq = 9 WHERE seq = 3", "got number 4 in its place"),
        ("DELETE FROM assay_events WHERE seq = 3", "got number 4 in its place"),
        ("DELETE FROM assay_events WHERE seq >= 3", "nothing in its place"),
    ],
)
def test_a_damaged_event_is_named_and_those_before_it_are_good(
    tmp_path: Path, statement: str, found: str
) -> None:
    path = tmp_path / "s.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [SKIPPED] * 4)
    change(path, statement)
    with pytest.raises(
        DamageError, match=rf"event 3 of assay 'a'.*{found}.*The 2 events"
    ) as error:
        store.read("a")
    assert [r.event for r in error.value.good] == [SKIPPED] * 2
    with pytest.raises(DamageError, match="event 3"):
        store.read("a", 3)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM assay_events WHERE seq = 4",
        "UPDATE assay_names SET last_seq = 3",
        "UPDATE assay_names SET last_seq = 9",
        "UPDATE assay_names SET last_seq = 'x'",
        "UPDATE assay_names SET checksum = 'x'",
        "UPDATE assay_events SET checksum = 'x' WHERE seq = 4",
    ],
)
def test_an_end_that_was_cut_off_or_added_is_found_also_by_who_has_read_the_rest(
    tmp_path: Path, statement: str
) -> None:
    path = tmp_path / "s.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [SKIPPED] * 4)
    change(path, statement)
    for first in (1, 4):
        with pytest.raises(DamageError, match="assay 'a'"):
            store.read("a", first)


def test_an_event_that_a_later_version_wrote_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "s.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [SKIPPED])
    own = checksum("", "a", 1, store.read("a")[0].at, "Rejected", "{}")
    change(
        path,
        f"UPDATE assay_events SET kind = 'Rejected', payload = '{{}}', checksum = '{own}'",
        f"UPDATE assay_names SET checksum = '{own}'",
    )
    with pytest.raises(StoreError, match=r"got 'Rejected'\. Upgrade"):
        store.read("a")


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_database_of_others_is_refused_and_left_as_it_is(tmp_path: Path, journal: str) -> None:
    path = tmp_path / "other.db"
    change(path, f"PRAGMA journal_mode = {journal}", "CREATE TABLE customers (id INTEGER)")
    before = state(tmp_path)
    for is_new in (False, True):
        with pytest.raises(
            InputError, match=r"other\.db', an SQLite file with the tables \['cust"
        ):
            open_sqlite(str(path), is_new=is_new)
    assert state(tmp_path) == before


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "which is empty"), (b"id,label\n1,cat\n", "is not an SQLite file")]
)
def test_an_empty_file_or_a_text_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "pool.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"this package made; got '.*pool\.csv', .*{said}"):
        open_sqlite(str(path))
    assert state(tmp_path) == {"pool.csv": content}


def test_an_empty_file_may_become_a_store_and_a_text_may_not(tmp_path: Path) -> None:
    path = tmp_path / "s.assay"
    path.touch()
    assert open_sqlite(str(path), is_new=True).create("a", [SKIPPED]) == 1
    path.write_text("prose")
    with pytest.raises(InputError, match="not an SQLite file"):
        open_sqlite(str(path), is_new=True)


def test_a_pipe_or_a_device_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(InputError, match="existing file"):
            open_sqlite(str(path), is_new=True)


def test_reading_leaves_a_store_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "s.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [SKIPPED])
    store.close()
    before = state(tmp_path)
    reader = open_sqlite(str(path))
    assert (reader.list(), len(reader.read("a"))) == (("a",), 1)
    reader.close()
    assert state(tmp_path) == before


@contextmanager
def few_rights() -> Iterator[None]:
    """Be somebody else where we are the superuser, who may write everywhere."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_a_store_that_may_not_be_written_is_read(closed: str) -> None:
    with TemporaryDirectory() as folder:  # whose parents anybody may enter
        path = Path(folder) / "s.assay"
        store = open_sqlite(str(path), is_new=True)
        store.create("a", [SKIPPED])
        store.close()
        path.chmod(0o444 if closed == "file" else 0o666)
        Path(folder).chmod(0o777 if closed == "file" else 0o555)
        before = state(Path(folder))
        with few_rights():
            reader = open_sqlite(str(path))
            assert (reader.list(), len(reader.read("a"))) == (("a",), 1)
            with pytest.raises(InputError, match=r"may be written.*got '.*s\.assay'"):
                reader.append("a", [SKIPPED])
        assert state(Path(folder)) == before
        Path(folder).chmod(0o755)


def test_a_reader_without_rights_sees_what_a_writer_adds() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.assay"
        store = open_sqlite(str(path), is_new=True)
        store.create("a", [SKIPPED])
        Path(folder).chmod(0o755)
        with few_rights():
            reader = open_sqlite(str(path))
            assert len(reader.read("a")) == 1
        store.append("a", [SKIPPED])
        with few_rights():
            assert len(reader.read("a")) == 2
        store.close()
        with few_rights():
            assert len(reader.read("a")) == 2


def test_a_flipped_bit_is_found_or_changes_nothing(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = tmp_path / "s.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [Told((f"x{i}",), ("cat",), "ann") for i in range(30)])
    written = list(store.read("a"))
    store.close()
    whole = path.read_bytes()
    n_found = 0
    for place in rng.integers(0, 8 * len(whole), 150):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        try:
            store = open_sqlite(str(path), patience_s=0.0)
            (name,) = store.list()
            events, damage = good_events(store, name)
            store.close()
        except AssayError:
            n_found += 1
            continue
        n_found += damage is not None
        assert list(events) == written[: len(events)]
        assert damage is not None or len(events) == len(written)
    assert 0 < n_found < 150


def test_names_of_tables_that_are_no_texts_any_more_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "s.assay"
    open_sqlite(str(path), is_new=True).close()
    content = path.read_bytes().replace(b"assay_names", b"assay_n\xffmes")
    path.write_bytes(content.replace(b"CREATE TABLE", b"CREATF TABLE"))
    with pytest.raises(DamageError, match=r"store must be .*s\.assay"):
        open_sqlite(str(path)).list()


@pytest.mark.parametrize("name", ["a b.assay", "50%25?mode=ro#x.assay", "ü&'\".assay"])
def test_a_path_may_hold_any_character(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_sqlite(name, is_new=True)
    store.create("a", [SKIPPED])
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    (tmp_path / "link").symlink_to(name)
    for path in (name, str(tmp_path / name), "link"):
        reader = open_sqlite(path)
        assert len(reader.read("a")) == 1
        reader.close()


def test_threads_share_connections_and_leave_few_open(tmp_path: Path) -> None:
    store = open_sqlite(str(tmp_path / "s.assay"), is_new=True)
    store.create("a", [SKIPPED])
    with ThreadPoolExecutor(12) as pool:
        numbers = list(pool.map(lambda _: store.append("a", [SKIPPED]), range(60)))
        assert sorted(numbers) == list(range(2, 62))
        assert {len(read) for read in pool.map(lambda _: store.read("a"), range(24))} == {61}
    database = store.database
    assert isinstance(database, SqliteDatabase)
    assert 1 <= len(database._idle) <= 5
    store.close()
    assert not database._idle
    assert len(store.read("a")) == 61  # a closed store opens a connection again
    store.close()


def test_a_writing_that_fails_leaves_nothing_and_no_lock(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "s.assay")
    open_sqlite(str(database.path), is_new=True).create("a", [SKIPPED])

    def write() -> None:
        with database.transaction(is_reading=False) as connection:
            connection.execute("DELETE FROM assay_events")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert open_sqlite(str(database.path)).append("a", [SKIPPED]) == 2


def test_a_store_in_a_file_needs_no_large_library(tmp_path: Path) -> None:
    code = (
        "import sys; from accuracy_assay.storage.sqlite import open_sqlite; "
        "open_sqlite(sys.argv[1], is_new=True).close(); "
        "print({'sqlalchemy', 'numpy', 'polars', 'pydantic'} & set(sys.modules))"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "s.assay")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "set()\n"
