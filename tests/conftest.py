"""Fixtures and settings that every test shares."""

import gc
import os
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from postgres_server import PostgresServer
from work_order import ByFamily, place_of

# The same examples in every run, and no clock: a busy machine must not fail a law.
settings.register_profile(
    "project",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("project")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest families begin."""
    items.sort(key=lambda item: place_of(item.nodeid))


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of every later search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFamily | None:
    """Give families to workers, where tests are spread by file."""
    if config.getvalue("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False  # they are in order
    return ByFamily(config, log)


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
def own_settings(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """What is kept between commands stays out of the home.

    Programs that were compiled are kept in the checkout: the next run begins with them, as do the
    other workers and the commands that tests start.
    """
    kept = pytestconfig.rootpath / ".cache"
    chosen = {
        "XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("config")),
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
        "XDG_STATE_HOME": str(tmp_path_factory.mktemp("state")),
        "ASSAY_COMPILATION_CACHE": str(kept / "jax"),
        "MPLCONFIGDIR": str(kept / "matplotlib"),
    }
    for name in ("ASSAY_COMPILATION_CACHE", "MPLCONFIGDIR"):
        chosen[name] = os.environ.get(name, chosen[name])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in chosen.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has seen nothing yet: under a clock that stands still, two make equal stores."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / uuid4().hex))
