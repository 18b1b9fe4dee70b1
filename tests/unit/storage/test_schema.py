"""Old stores open, newer ones are refused, on both databases."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Store
from accuracy_assay.storage.postgres import open_postgres
from accuracy_assay.storage.schema import MIGRATIONS, VERSION
from accuracy_assay.storage.sqlite import open_sqlite

# A store as version 1 wrote it, statement by statement.
FIRST_VERSION = (
    "CREATE TABLE assay_schema (version INTEGER NOT NULL)",
    "INSERT INTO assay_schema (version) VALUES (1)",
    "CREATE TABLE assay_names (name TEXT PRIMARY KEY)",
    "CREATE TABLE assay_events (assay TEXT NOT NULL REFERENCES assay_names (name), "
    "seq BIGINT NOT NULL, at DOUBLE PRECISION NOT NULL, kind TEXT NOT NULL, "
    "payload TEXT NOT NULL, PRIMARY KEY (assay, seq))",
    "INSERT INTO assay_names (name) VALUES ('old'), ('empty')",
    "INSERT INTO assay_events (assay, seq, at, kind, payload) VALUES "
    """('old', 1, 5.0, 'Skipped', '{"ids":["x1"],"annotator":"ann","reason":""}'),"""
    """('old', 2, 6.0, 'Told', '{"ids":["x2"],"labels":["cat"],"annotator":"ann"}')""",
)


@pytest.fixture(params=["sqlite", "postgres"])
def database(
    request: pytest.FixtureRequest, tmp_path: Path
) -> tuple[Callable[[], Store], Callable[..., None]]:
    """A function that opens the store, and one that runs statements behind its back."""
    if request.param == "sqlite":
        path = tmp_path / "old.assay"
        url = f"sqlite:///{path}"
        opener: Callable[[], Store] = lambda: open_sqlite(str(path), is_new=True)  # noqa: E731
    else:
        address = request.getfixturevalue("postgres_url")
        url = address.replace("postgresql://", "postgresql+psycopg://")
        opener = lambda: open_postgres(address, is_new=True)  # noqa: E731

    def run(*statements: str) -> None:
        engine = create_engine(url)
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement.replace(":", r"\:")))
        engine.dispose()

    return opener, run


def test_a_store_of_the_first_version_opens_with_all_its_events(database) -> None:
    opener, run = database
    run(*FIRST_VERSION)
    store = opener()
    assert store.list() == ("empty", "old")
    assert [r.event for r in store.read("old")] == [
        Skipped(("x1",), "ann"),
        Told(("x2",), ("cat",), "ann"),
    ]
    assert [r.at for r in store.read("old")] == [5.0, 6.0]
    assert store.append("old", [Skipped(("x3",), "bob")]) == 3
    assert store.append("empty", [Skipped(("x3",), "bob")]) == 1
    assert len(opener().read("old")) == 3


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_reading_an_old_store_leaves_it_as_it_is_and_writing_brings_it_up_to_date(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "old.assay"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        for statement in FIRST_VERSION:
            connection.execute(text(statement.replace(":", r"\:")))
        for statements in MIGRATIONS[1:version]:
            for statement in statements:
                connection.execute(text(statement))
        connection.execute(text(f"UPDATE assay_schema SET version = {version}"))
    engine.dispose()
    before = path.read_bytes()
    store = open_sqlite(str(path))
    assert [r.seq for r in store.read("old")] == [1, 2]
    assert list(store.read("empty")) == []
    assert path.read_bytes() == before
    assert store.append("old", [Skipped(("x3",), "bob")]) == 3
    assert store.append("old", [Skipped(("x4",), "bob")]) == 4
    assert [r.seq for r in store.read("old")] == [1, 2, 3, 4]
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT version FROM assay_schema").fetchall() == [(VERSION,)]
    sums = connection.execute("SELECT checksum FROM assay_events ORDER BY assay, seq").fetchall()
    assert [own is None for (own,) in sums] == [True, True, False, False]
    connection.close()


def test_a_store_of_a_newer_version_is_refused_and_left_alone(database) -> None:
    opener, run = database
    opener().close()
    run(f"UPDATE assay_schema SET version = {VERSION + 1}")
    with pytest.raises(InputError, match=f"version {VERSION} or lower; got {VERSION + 1}"):
        opener()


def test_a_migration_that_fails_leaves_the_old_version(
    database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener, run = database
    run(*FIRST_VERSION)
    with monkeypatch.context() as patch:
        broken = (MIGRATIONS[0], (*MIGRATIONS[1], "SELECT no_such_column FROM assay_names"))
        patch.setattr("accuracy_assay.storage.schema.MIGRATIONS", broken)
        with pytest.raises(Exception, match="no_such_column"):
            opener()
    assert opener().append("old", [Skipped(("x3",), "bob")]) == 3


def test_a_new_store_has_the_present_version(tmp_path: Path) -> None:
    path = tmp_path / "new.assay"
    open_sqlite(str(path), is_new=True).close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT version FROM assay_schema").fetchall() == [(VERSION,)]
    connection.close()
