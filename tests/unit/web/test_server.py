"""Running the page: bound to this machine unless told otherwise, and never open to all."""

import queue
import socket
import threading

import httpx
import pytest
from patience import PATIENCE_S

from accuracy_assay.errors import InputError
from accuracy_assay.web import server
from accuracy_assay.web.server import bind, serve


def test_it_is_bound_to_this_machine_alone_by_default() -> None:
    place = bind(port=0)
    assert place.is_local
    assert place.address == f"http://127.0.0.1:{place.port}"
    place.socket.close()


def test_a_port_that_is_taken_is_passed_over_unless_it_was_named() -> None:
    first = bind()
    second = bind()
    assert second.port > first.port >= server.PORT
    with pytest.raises(InputError, match=f"got '127.0.0.1' and {first.port}"):
        bind(port=first.port)
    first.socket.close()
    second.socket.close()


@pytest.mark.parametrize("host", ["203.0.113.9", "no such host", "\x00"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(InputError, match="must be free on this machine"):
        bind(host, 0)


def test_without_tokens_it_is_not_bound_wider(make_served) -> None:
    place = bind("0.0.0.0", 0)
    assert not place.is_local
    with pytest.raises(InputError, match=r"must be at 127\.0\.0\.1; got '0\.0\.0\.0'"):
        serve(make_served().assay, place, use_tokens=False)
    place.socket.close()


def test_a_link_is_printed_once_it_can_be_opened_and_the_end_is_orderly(
    make_served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assay = make_served().assay
    servers: list[server.uvicorn.Server] = []
    make = server._Server

    def remember(config):
        servers.append(make(config))
        return servers[-1]

    monkeypatch.setattr(server, "_Server", remember)
    links: queue.SimpleQueue[str] = queue.SimpleQueue()
    place = bind(port=0)
    running = threading.Thread(target=serve, args=(assay, place), kwargs={"on_ready": links.put})
    running.start()
    with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as browser:
        link = links.get(timeout=PATIENCE_S)
        assert "Sign in" in browser.get(link).text
        assert browser.post(link).status_code == 200
        assert "token" not in str(browser.get(place.address).url)
        assert browser.get(f"{place.address}/api/status").json()["role"] == "admin"
        assert "server" not in browser.get(place.address).headers
    servers[0].should_exit = True
    running.join(PATIENCE_S)
    assert not running.is_alive()
    place.socket.close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", place.port), 1.0)
