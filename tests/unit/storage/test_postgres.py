"""What is special about PostgreSQL: addresses, and a server that goes away."""

import sys
import threading
import time

import pytest
from patience import PATIENCE_S
from postgres_server import PostgresServer
from sqlalchemy import create_engine, inspect, text

from accuracy_assay.domain.events import Skipped
from accuracy_assay.errors import InputError, MissingExtraError, StoreError
from accuracy_assay.storage.postgres import PostgresDatabase, open_postgres

SKIPPED = Skipped(("x1",), "ann")


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_postgres("postgresql://ann:hunter2@127.0.0.1:1/none")
    assert "127.0.0.1" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann@127.0.0.1:1/none?password=hunter2",
        "postgresql://ann:hunter2@127.0.0.1:1/none?sslpassword=hunter2&application_name=x",
        "postgresql://ann:hunter2@127.0.0.1:1/none?sslmode=hunter2",
        "postgresql://ann:hunter2@127.0.0.1:1/none?passwrd=hunter2",
        "postgresql://ann:hunter2@127.0.0.1:1/none?password=hunter2&password=hunter2",
        "postgresql://ann:hunter2@127.0.0.1:1/none?plugin=hunter2",
        "postgresql://ann:hun%40ter%2F2@127.0.0.1:1/hun%40ter%2F2",
    ],
)
def test_no_part_of_an_address_shows_a_password(address: str) -> None:
    with pytest.raises((StoreError, InputError)) as caught:
        open_postgres(address)
    for form in ("hunter2", "hun@ter/2", "hun%40ter%2F2"):
        assert form not in str(caught.value)


def test_a_store_shows_no_password_when_it_is_printed(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    mark = "&" if "?" in postgres_url else "?"
    store = open_postgres(f"{postgres_url}{mark}password=hunter2", is_new=True)
    database = store.database
    assert isinstance(database, PostgresDatabase)
    assert "hunter2" not in repr(store) + repr(database.engine) + str(database.engine.url)
    store.close()


def test_an_installation_without_the_driver_is_told_which_extra_to_add(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[postgres\]"):
        open_postgres("postgresql:///none")


def test_an_address_that_cannot_be_read_is_not_shown() -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        open_postgres("postgresql://ann:hunter2@host:port/none")
    assert "hunter2" not in str(caught.value)


def test_the_work_goes_on_when_the_server_is_back(
    postgres_server: PostgresServer, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_postgres(postgres_url, is_new=True)
    store.create("a", [SKIPPED])
    postgres_server.halt()
    done: list[int] = []
    writer = threading.Thread(target=lambda: done.append(store.append("a", [SKIPPED])))
    writer.start()
    time.sleep(0.5)
    assert done == []
    postgres_server.resume()
    writer.join(PATIENCE_S)
    assert done == [2]
    assert len(store.read("a")) == 2
    assert "the store is away" in caplog.text


def test_patience_ends_with_a_message(postgres_server: PostgresServer, postgres_url: str) -> None:
    store = open_postgres(postgres_url, is_new=True, patience_s=0.3)
    store.create("a", [SKIPPED])
    postgres_server.halt()
    try:
        with pytest.raises(StoreError, match=r"cannot be reached.*Nothing that was acknowledged"):
            store.append("a", [SKIPPED])
    finally:
        postgres_server.resume()
    assert len(store.read("a")) == 1


def tables(url: str) -> list[str]:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    names = inspect(engine).get_table_names()
    engine.dispose()
    return names


def test_reading_makes_no_tables(postgres_url: str) -> None:
    with pytest.raises(InputError, match=r"store must hold assays; got postgresql.*assay init"):
        open_postgres(postgres_url)
    assert tables(postgres_url) == []


def test_a_database_of_others_is_left_as_it_is(postgres_url: str) -> None:
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE assay_schema (version INTEGER)"))
    engine.dispose()
    with pytest.raises(InputError, match="has no tables for them"):
        open_postgres(postgres_url)
    assert tables(postgres_url) == ["assay_schema"]


def test_events_are_dated_by_the_server_whatever_this_machine_believes(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3e8)  # ten years ahead
    store = open_postgres(postgres_url, is_new=True)
    store.create("a", [SKIPPED])
    assert abs(store.read("a")[0].at - real()) < 60.0
    assert abs(store.now() - real()) < 60.0


def test_a_reader_who_may_not_write_reads_and_is_told_so(postgres_url: str) -> None:
    store = open_postgres(postgres_url, is_new=True)
    store.create("a", [SKIPPED])
    reader = open_postgres(f"{postgres_url}%20-cdefault_transaction_read_only%3Don")
    assert len(reader.read("a")) == 1
    with pytest.raises(StoreError, match="read-only transaction"):
        reader.append("a", [SKIPPED])
