"""``assay serve``: prints a link once it can be opened, and refuses what would let others in."""

import sys

import pytest

from accuracy_assay.web import server


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What the server would be run with; it ends at once."""
    calls: list[dict[str, object]] = []

    def run(self, sockets) -> None:
        proxies = self.config.forwarded_allow_ips if self.config.proxy_headers else []
        address = sockets[0].getsockname()
        calls.append({"app": self.config.app, "address": address, "proxies": proxies})

    monkeypatch.setattr(server.uvicorn.Server, "run", run)
    return calls


def test_it_prints_a_link_for_the_admin(assay, store: str, served) -> None:
    answer = assay("serve", store, "--port", 0)
    assert answer.code == 0, answer.err
    port = served[0]["address"][1]
    assert f"http://127.0.0.1:{port}/join?token=" in answer.out
    assert "the link lets you in once" in answer.err


def test_without_a_token_it_prints_the_plain_address(assay, store: str, served) -> None:
    answer = assay("serve", store, "--port", 0, "--no-token")
    assert answer.code == 0, answer.err
    assert "token" not in answer.out
    assert f"http://127.0.0.1:{served[0]['address'][1]}" in answer.out


def test_without_a_token_others_are_not_let_in(assay, store: str, served) -> None:
    answer = assay("serve", store, "--port", 0, "--no-token", "--host", "0.0.0.0")
    assert answer.code == 2
    assert "a server without tokens must be at 127.0.0.1; got '0.0.0.0'" in answer.err
    assert served == []


def test_a_port_that_is_none_is_named(assay, store: str, served) -> None:
    assert assay("serve", store, "--port", 99999).code == 2
    answer = assay("serve", store, "--port", 0, "--host", "203.0.113.9")
    assert answer.code == 2
    assert "'203.0.113.9'" in answer.err


def test_a_proxy_is_named_by_its_address(assay, store: str, served) -> None:
    answer = assay("serve", store, "--port", 0, "--proxy", "*")
    assert answer.code == 2
    assert "proxy must be an IP address such as 127.0.0.1" in answer.err
    assert served == []
    answer = assay("serve", store, "--port", 0, "--proxy", "10.0.0.0/8", "--proxy", "::1")
    assert answer.code == 0, answer.err
    assert served[0]["proxies"] == ["10.0.0.0/8", "::1/128"]


def test_without_a_named_proxy_nobody_is_believed(
    assay, store: str, served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    assert assay("serve", store, "--port", 0).code == 0
    assert served[0]["proxies"] == []


def test_without_the_extra_it_says_what_to_install(
    assay, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "accuracy_assay.web.server")
    answer = assay("serve", store)
    assert answer.code == 2
    assert "pip install 'accuracy-assay[web]'" in answer.err
