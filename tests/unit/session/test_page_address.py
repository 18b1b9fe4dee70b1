"""Where a page is served: known while its process lives, and not a moment longer."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest
from patience import PATIENCE_S

from accuracy_assay.session.cache.entries import cache_folder
from accuracy_assay.session.page_address import announced, find_address


def files_of(store: str) -> list[Path]:
    return [*cache_folder(store).glob("*")]


def test_an_address_is_known_while_the_page_is_served(tmp_path: Path) -> None:
    store = str(tmp_path / "pets.assay")
    assert find_address(store, "pets") is None
    with announced(store, "pets", "http://127.0.0.1:9"):
        assert find_address(store, "pets") == "http://127.0.0.1:9"
        assert find_address(store, "others") is None
        assert find_address(str(tmp_path / "other.assay"), "pets") is None
    assert find_address(store, "pets") is None
    assert files_of(store) == []


def test_of_several_pages_the_last_is_named(tmp_path: Path) -> None:
    store = str(tmp_path / "pets.assay")
    with announced(store, "pets", "http://127.0.0.1:1"):
        for path in files_of(store):
            os.utime(path, (1.0, 1.0))
        with announced(store, "pets", "http://127.0.0.1:2"):
            assert find_address(store, "pets") == "http://127.0.0.1:2"
        assert find_address(store, "pets") == "http://127.0.0.1:1"


def _serve_until_killed(store: str, ready) -> None:
    with announced(store, "pets", "http://127.0.0.1:3"):
        ready.set()
        multiprocessing.Event().wait(PATIENCE_S)


def test_a_server_that_was_killed_is_not_named(tmp_path: Path) -> None:
    store = str(tmp_path / "pets.assay")
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    server = spawn.Process(target=_serve_until_killed, args=(store, ready))
    server.start()
    assert ready.wait(PATIENCE_S)
    assert find_address(store, "pets") == "http://127.0.0.1:3"
    server.kill()
    server.join(PATIENCE_S)
    assert len(files_of(store)) == 1
    assert find_address(store, "pets") is None
    assert files_of(store) == []


@pytest.mark.parametrize("content", ["", "[]", "{}", "null", '{"name": "pets"}', "\x00"])
def test_a_damaged_file_names_nothing(tmp_path: Path, content: str) -> None:
    store = str(tmp_path / "pets.assay")
    with announced(store, "pets", "http://127.0.0.1:4"):
        (path,) = files_of(store)
        path.write_text(content)
        assert find_address(store, "pets") is None


def test_a_folder_that_cannot_be_written_announces_nothing(tmp_path: Path) -> None:
    (tmp_path / "pets.assay.cache").write_text("no folder")
    store = str(tmp_path / "pets.assay")
    with announced(store, "pets", "http://127.0.0.1:5"):
        assert find_address(store, "pets") is None


def test_no_secret_is_left(tmp_path: Path) -> None:
    store = str(tmp_path / "pets.assay")
    with announced(store, "pets", "http://127.0.0.1:6"):
        (path,) = files_of(store)
        assert json.loads(path.read_text()) == {"name": "pets", "address": "http://127.0.0.1:6"}
