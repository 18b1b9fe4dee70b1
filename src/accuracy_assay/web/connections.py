"""Limits on connections, so that one stranger cannot take the page from everyone.

uvicorn limits only how long a connection may be idle between requests. A client that sends
nothing, one byte at a time, or never reads the answer would keep a connection for ever, and the
process would run out of files. Here every wait for a client has a limit. If there are too many
connections, in all or of one address, a new one takes the place of the one that is least in use:
first those that have sent no request, then those that are late, then idle ones. A connection whose
request is being answered, such as a stream of updates, keeps its place; if there is no other, the
new one is refused.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Literal, TypeAlias

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from accuracy_assay.errors import InputError

__all__ = ["Connections", "LimitedProtocol", "Limits", "Network", "named_proxies", "protocol_of"]

_log = logging.getLogger(__name__)

Network: TypeAlias = IPv4Network | IPv6Network
Wait: TypeAlias = Literal["first headers", "headers", "body", "unread", "idle", "answer"]
"""What a connection waits for: a request, its rest, the client to read, or our own answer."""

_OWN_FILES = 128
"""Files that the process needs besides connections, such as store, tables and libraries."""
_MOST = 1_000
"""Connections: a browser has six, so more than a hundred people at once."""
_MOST_ACCEPTED = 64
"""Connections accepted at a time; more wait in the system's queue."""
_ROUNDS = 4
"""Times that many may be accepted before the first is counted or one is closed for it."""
_IPV6_OF_ONE = 64
"""Bits of an IPv6 address that one customer has; the rest they choose themselves."""
_PLACES: dict[Wait, int] = {"first headers": 0, "headers": 1, "body": 1, "unread": 1, "idle": 2}
"""Which connections give way first."""
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 42\r\n\r\n"
    b"too many connections are open; try again.\n"
)


@dataclass(frozen=True)
class Limits:
    """How many connections there may be, and how long each may keep the server waiting.

    Parameters
    ----------
    most, most_of_one
        Open connections in all, and of one address.
    accepted_at_once
        Connections accepted at a time.
    headers_s, body_s
        Seconds in which the headers of a request, and then its body, must have arrived.
    unread_s
        Seconds in which a client must read some of an answer.
    idle_s
        Seconds that a connection may be idle: looking at one item for a while should not cost a
        new one.
    dead_s
        Seconds after which a client that acknowledges nothing counts as gone.
    """

    most: int = _MOST
    most_of_one: int = _MOST // 2
    accepted_at_once: int = _MOST_ACCEPTED
    headers_s: float = 10.0
    body_s: float = 30.0
    unread_s: float = 30.0
    idle_s: float = 75.0
    dead_s: float = 60.0

    @classmethod
    def of_this_process(cls) -> Limits:
        """Return limits that fit the number of files that this process may open."""
        try:
            import resource
        except ImportError:  # Windows, which has no such number
            return cls()
        n_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return cls() if n_files == resource.RLIM_INFINITY else cls.for_files(n_files)

    @classmethod
    def for_files(cls, n_files: int) -> Limits:
        """Return limits that fit a process that may open ``n_files`` files.

        Examples
        --------
        >>> [Limits.for_files(n).most for n in (256, 1024, 65536)]
        [64, 640, 1000]
        """
        room = max(n_files - _OWN_FILES, 16)
        at_once = min(_MOST_ACCEPTED, room // (2 * _ROUNDS))
        most = min(_MOST, room - _ROUNDS * at_once)
        return cls(most, most // 2, at_once)

    @property
    def most_streams(self) -> int:
        """Open streams of updates: half, so that requests always find a place."""
        return self.most // 2


@dataclass
class Connections:
    """The open connections of a server, by address."""

    limits: Limits
    proxies: Sequence[Network] = ()
    _open: dict[LimitedProtocol, str] = field(default_factory=dict)
    _of_one: dict[str, set[LimitedProtocol]] = field(default_factory=dict)

    @property
    def open(self) -> tuple[LimitedProtocol, ...]:
        """The open connections."""
        return tuple(self._open)

    def admit(self, new: LimitedProtocol, host: str) -> bool:
        """Count a connection; return whether there is a place for it."""
        who = "" if _is_in(host, self.proxies) else _neighbourhood(host)
        own = self._of_one.setdefault(who, set())
        is_one_too_many = bool(who) and len(own) >= self.limits.most_of_one
        if is_one_too_many or len(self._open) >= self.limits.most:
            late = _least_in_use(own if is_one_too_many else self._open)
            if late is None:
                _log.warning("too many connections: refused one from %s", host)
                return False
            _log.warning("too many connections: closed one from %s", late.host)
            late.give_up()
        own.add(new)
        self._open[new] = who
        return True

    def forget(self, gone: LimitedProtocol) -> None:
        """Count a connection no more."""
        who = self._open.pop(gone, None)
        if who is None:
            return
        self._of_one[who].discard(gone)
        if not self._of_one[who]:
            del self._of_one[who]


class LimitedProtocol(H11Protocol):
    """HTTP on one connection; every wait for the client has a limit."""

    def __init__(self, *args: Any, connections: Connections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.book = connections
        self.host = ""
        self.wait: Wait = "answer"
        self.since = 0.0
        self._is_lost = False
        self._n_requests = 0
        self._timed: tuple[Wait, int] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, or refuse."""
        super().connection_made(transport)
        self.host = self.client[0] if self.client else ""
        if self.book.admit(self, self.host):
            _let_the_dead_go(transport, self.book.limits.dead_s)
            self._set_limit()
        else:
            transport.write(_REFUSAL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the place to others."""
        self.book.forget(self)
        self._stop_timer()
        self._is_lost = True
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; what is awaited next has its own limit."""
        if self.transport.is_closing():  # refused, or given up
            return
        before = self.cycle
        super().data_received(data)
        self._n_requests += self.cycle is not before
        self._set_limit()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        before = self.cycle
        super().on_response_complete()
        self._n_requests += self.cycle is not before  # the next one had arrived already
        self._set_limit()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._set_limit()

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        self._set_limit()

    def give_up(self) -> None:
        """Close the connection, whatever it is at."""
        self.book.forget(self)
        self._stop_timer()
        self.transport.abort()

    def _awaited(self) -> Wait:
        if self.flow.write_paused or self.transport.is_closing():
            return "unread"
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        if self.conn.their_state is not h11.IDLE:
            return "answer"
        if self.cycle is None:
            return "first headers"
        return "headers" if self.conn.trailing_data[0] else "idle"

    def _set_limit(self) -> None:
        """Start the time of what is awaited, unless it runs already; bytes do not renew it."""
        timed = (self._awaited(), self._n_requests)
        if timed == self._timed or self._is_lost:
            return
        self._timed, self.wait, self.since = timed, timed[0], self.loop.time()
        self._stop_timer()
        limits = self.book.limits
        seconds: dict[Wait, float] = {
            "first headers": limits.headers_s,
            "headers": limits.headers_s,
            "body": limits.body_s,
            "unread": limits.unread_s,
            "idle": limits.idle_s,
        }
        if self.wait in seconds:
            self._timer = self.loop.call_later(seconds[self.wait], self.give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def protocol_of(connections: Connections) -> Callable[..., LimitedProtocol]:
    """Return what makes the protocol of each new connection, for ``uvicorn.Config``."""
    return partial(LimitedProtocol, connections=connections)


def named_proxies(names: Iterable[str]) -> tuple[Network, ...]:
    """Return the addresses of proxies.

    Raises
    ------
    InputError
        If one is neither an address nor a network.
    """
    found = []
    for name in names:
        try:
            found.append(ip_network(name))
        except ValueError:
            raise InputError(
                f"proxy must be an IP address such as 127.0.0.1, or a network such as "
                f"10.0.0.0/8; got {name!r}."
            ) from None
    return tuple(found)


def _least_in_use(among: Iterable[LimitedProtocol]) -> LimitedProtocol | None:
    waiting = (each for each in among if each.wait in _PLACES)
    return min(waiting, key=lambda each: (_PLACES[each.wait], each.since), default=None)


def _neighbourhood(host: str) -> str:
    """Return the address, or the part of it that one customer cannot change."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host or "?"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ip_network((address, _IPV6_OF_ONE), strict=False))
    return host


def _is_in(host: str, networks: Iterable[Network]) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in networks)


def _let_the_dead_go(transport: asyncio.Transport, seconds: float) -> None:
    """Let the system end a connection whose other end acknowledges nothing, as after a crash."""
    line = transport.get_extra_info("socket")
    option = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
    if line is not None and option is not None:
        with suppress(OSError):
            line.setsockopt(socket.IPPROTO_TCP, option, round(1000.0 * seconds))
