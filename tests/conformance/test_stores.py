"""Every store keeps the laws of `accuracy_assay.testing`."""

from pathlib import Path

import pytest

from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.storage.postgres import open_postgres
from accuracy_assay.storage.sqlite import open_sqlite
from accuracy_assay.testing import StoreLaws
from accuracy_assay.testing.stores import Opener


class TestMemory(StoreLaws):
    @pytest.fixture
    def open_store(self) -> Opener:
        store = MemoryStore(lambda: 5.0)
        return lambda: store


class TestSqlite(StoreLaws):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        path = str(tmp_path / "test.assay")
        return lambda: open_sqlite(path, is_new=True, clock=lambda: 5.0)


class TestPostgres(StoreLaws):
    @pytest.fixture
    def open_store(self, postgres_url: str) -> Opener:
        return lambda: open_postgres(postgres_url, is_new=True, clock=lambda: 5.0)
