"""Running the page: the socket it listens on, who may sign in, and a clean shutdown."""

from __future__ import annotations

import gc
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI

from accuracy_assay.errors import InputError
from accuracy_assay.session.access_book import Access, new_token
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.access import Authenticator
from accuracy_assay.web.app import build_app
from accuracy_assay.web.connections import Connections, Limits, Network, protocol_of
from accuracy_assay.web.counted_log import PERIOD_S, counting_logs
from accuracy_assay.web.fitter import Fitter
from accuracy_assay.web.guard import allowed_hosts
from accuracy_assay.web.served_assay import ServedAssay

__all__ = ["PORT", "Listener", "bind", "serve"]

PORT = 8765
"""The default port; if it is taken, one of the next."""
_NEXT_PORTS = 20
_GRACE_S = 2
"""Seconds that open requests get at shutdown; live streams never end by themselves."""
_WAITING = 512
"""Connections that may wait to be accepted: a whole team that reloads at once."""


@dataclass(frozen=True)
class Listener:
    """A bound socket and its address."""

    host: str
    port: int
    socket: socket.socket

    @property
    def address(self) -> str:
        """The URL without a path."""
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "::", "localhost") else self.host
        return f"http://[{shown}]:{self.port}" if ":" in shown else f"http://{shown}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        return _is_loopback(self.host)


def bind(host: str = "127.0.0.1", port: int | None = None) -> Listener:
    """Bind a socket; port 0 is any free one, None the default or one of the next.

    Raises
    ------
    InputError
        If the address is not on this machine, or the port is taken.
    """
    tried = range(PORT, PORT + _NEXT_PORTS) if port is None else (port,)
    reason = ""
    for candidate in tried:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, candidate, type=socket.SOCK_STREAM
            )[0]
            bound = _listen(socket.socket(family, kind, protocol), address)
            return Listener(host, bound.getsockname()[1], bound)
        except (OSError, OverflowError, ValueError) as error:
            reason = str(error)
    raise InputError(
        f"host and port must be free on this machine; got {host!r} and {tried[0]}: {reason}. "
        "Choose another with --port."
    )


def serve(
    assay: Assay,
    listener: Listener,
    fitter: Fitter | None = None,
    *,
    annotator: str = "admin",
    use_tokens: bool = True,
    names: Iterable[str] = (),
    proxies: Sequence[Network] = (),
    on_ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the page of an assay until the process is stopped.

    Parameters
    ----------
    assay, fitter
        The assay, and what fits and chooses for it, as in `ServedAssay.open`.
    listener
        Where, as `bind` returns it; the caller closes its socket.
    annotator
        Name of the admin who gets a link.
    use_tokens
        Whether a link or a token is required; otherwise everyone on this machine is the admin.
    names
        Further host names of the server, such as behind a proxy.
    proxies
        Addresses of proxies (`connections.named_proxies`), which say in ``X-Forwarded-For`` and
        ``X-Forwarded-Proto`` for whom they ask; nobody else is believed.
    on_ready
        Called with the address to open.

    Raises
    ------
    InputError
        If other machines could connect without a token.
    """
    if not use_tokens and not listener.is_local:
        raise InputError(
            f"a server without tokens must be at 127.0.0.1; got {listener.host!r}, which other "
            "machines can reach. Leave out --no-token."
        )
    connections = Connections(Limits.of_this_process(), proxies)
    everyone = None if use_tokens else Access(annotator, "admin", float("inf"))
    served = ServedAssay.open(assay, fitter)
    try:
        # With sessions no further secret is needed, and open pages survive a restart.
        secret = "" if use_tokens else new_token()
        cookie = f"assay-session-{listener.port}"
        authenticator = Authenticator(assay, cookie, everyone, secret)
        hosts = allowed_hosts(listener.host, listener.port, names)
        app = build_app(served, authenticator, hosts, connections.limits.most_streams)
        query = {"token": assay.admission.invite(annotator, "admin")} if use_tokens else {}
        address = f"{listener.address}/join?{urlencode(query)}" if use_tokens else listener.address
        gc.freeze()  # the pool stays; scanning it for garbage would delay requests
        on_ready(address)
        with counting_logs() as counting:
            _run(app, listener.socket, connections, counting.tell)
    finally:
        gc.unfreeze()
        served.close()


def _run(
    app: FastAPI, bound: socket.socket, connections: Connections, tell_counts: Callable[[], None]
) -> None:
    """Run the server until it is stopped."""

    async def each_period() -> None:
        tell_counts()

    http: Any = protocol_of(connections)  # declared as a class, called as a function
    limits = connections.limits
    config = uvicorn.Config(
        app,
        http=http,
        ws="none",  # its connections would have no limits
        log_config=None,  # logging is the caller's
        log_level="warning",
        access_log=False,  # URLs may hold a token
        server_header=False,
        # Who is not named could say that they are anybody; nor may the environment name proxies.
        proxy_headers=bool(connections.proxies),
        forwarded_allow_ips=[str(network) for network in connections.proxies],
        backlog=limits.accepted_at_once,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=round(limits.idle_s),
        callback_notify=each_period,
        timeout_notify=round(PERIOD_S),
        lifespan="off",
    )
    with _ending_in_order():
        _Server(config).run(sockets=[bound])


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let a termination leave every ``with`` block, as Ctrl-C does.

    uvicorn ends its own work at the signal and then sends it again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(signal_number: int, _: object) -> None:
        raise SystemExit(128 + signal_number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Server(uvicorn.Server):
    """A server whose queue of connections is longer than what it accepts at a time."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen; the event loop takes one number for both."""
        await super().startup(sockets)
        for bound in sockets or ():
            bound.listen(_WAITING)


def _listen(bound: socket.socket, address: tuple[object, ...]) -> socket.socket:
    """Bind a socket and listen; close it if that fails."""
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_WAITING)
    except BaseException:
        bound.close()
        raise
    return bound


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
