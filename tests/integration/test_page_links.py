"""Links to a running page: they lead to its port, and only one person uses each of them."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from page_rows import make_pool
from page_server import PageServer, serve_pool
from patience import PATIENCE_S

from accuracy_assay.session.cache.entries import cache_folder


@pytest.fixture
def server(tmp_path) -> Iterator[PageServer]:
    with serve_pool(tmp_path, make_pool(), attribute=[{"name": "sex"}]) as running:
        yield running


def invite(server: PageServer, *words: str) -> str:
    code = "from accuracy_assay.cli import main; main()"
    made = subprocess.run(
        [sys.executable, "-c", code, "invite", server.store.name, *words, "--json"],
        cwd=server.store.parent,
        stdout=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=True,
    )
    return str(json.loads(made.stdout)["link"])


def test_a_link_leads_to_the_page_as_long_as_it_runs(server: PageServer) -> None:
    link = invite(server, "ann")
    assert link.startswith(f"http://127.0.0.1:{server.port}/join?token=")
    with httpx.Client(timeout=PATIENCE_S) as browser:
        assert browser.post(link).status_code == 303
        assert browser.get(f"{server.url}/api/status").json()["annotator"] == "ann"
    server.kill()
    assert invite(server, "ann").startswith("http://127.0.0.1:8765/")
    server.start()
    assert invite(server, "ann").startswith(f"http://127.0.0.1:{server.port}/")
    server.stop()
    assert [*cache_folder(server.store).glob("page-*")] == []
    assert invite(server, "ann").startswith("http://127.0.0.1:8765/")


def test_of_those_who_use_a_link_at_once_one_gets_in(server: PageServer) -> None:
    n_people = 8
    start = threading.Barrier(n_people)

    def join(link: str) -> int:
        with httpx.Client(timeout=PATIENCE_S) as browser:
            assert "Sign in" in browser.get(link).text
            start.wait(PATIENCE_S)
            return browser.post(link).status_code

    with ThreadPoolExecutor(n_people) as threads:
        found = sorted(threads.map(join, [server.invite("bob")] * n_people))
    assert found == [303] + [401] * (n_people - 1)
