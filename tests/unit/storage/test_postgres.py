"""What is special about PostgreSQL: addresses, and a server that goes away."""

import sys
import threading
import time

import pytest
from postgres_server import PostgresServer

from accuracy_assay.domain.events import Skipped
from accuracy_assay.errors import InputError, MissingExtraError, StoreError
from accuracy_assay.storage.postgres import open_postgres

SKIPPED = Skipped(("x1",), "ann")


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_postgres("postgresql://ann:hunter2@127.0.0.1:1/none")
    assert "127.0.0.1" in str(caught.value)
    assert "hunter2" not in str(caught.value)


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
    store = open_postgres(postgres_url)
    store.create("a", [SKIPPED])
    postgres_server.halt()
    done: list[int] = []
    writer = threading.Thread(target=lambda: done.append(store.append("a", [SKIPPED])))
    writer.start()
    time.sleep(0.5)
    assert done == []
    postgres_server.resume()
    writer.join(timeout=30)
    assert done == [2]
    assert len(store.read("a")) == 2
    assert "the store is away" in caplog.text


def test_patience_ends_with_a_message(postgres_server: PostgresServer, postgres_url: str) -> None:
    store = open_postgres(postgres_url, patience_s=0.3)
    store.create("a", [SKIPPED])
    postgres_server.halt()
    try:
        with pytest.raises(StoreError, match=r"cannot be reached.*Nothing that was acknowledged"):
            store.append("a", [SKIPPED])
    finally:
        postgres_server.resume()
    assert len(store.read("a")) == 1
