"""Fixtures and settings that every test shares."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings
from postgres_server import PostgresServer

# The same examples in every run, and no clock: a busy machine must not fail a law.
settings.register_profile("project", derandomize=True, deadline=None, database=None)
settings.load_profile("project")


@pytest.fixture
def rng() -> np.random.Generator:
    """The one source of randomness of the tests."""
    return np.random.default_rng(20211206)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A real PostgreSQL server, started when a test first needs it."""
    server = PostgresServer.start()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """The address of an empty schema on that server."""
    return postgres_server.url_of_schema("test")


@pytest.fixture(scope="session", autouse=True)
def own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings that the command line keeps, such as what is trusted, stay out of the home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield
