"""Running the page: a socket, who may come in, and an orderly end."""

from __future__ import annotations

import gc
import ipaddress
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

import uvicorn

from accuracy_assay.errors import InputError
from accuracy_assay.session.access_book import Access, new_token
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.access import Door
from accuracy_assay.web.app import build_app
from accuracy_assay.web.engine import Engine
from accuracy_assay.web.guard import allowed_hosts
from accuracy_assay.web.room import Room

__all__ = ["PORT", "Place", "bind", "serve"]

PORT = 8765
"""Where the page is unless told otherwise, or where that port is taken one of the next."""
_NEXT_PORTS = 20
_GRACE_S = 2
"""Seconds that open requests have at the end; streams to pages that watch never end by
themselves."""
_IDLE_S = 75
"""Seconds that a connection stays open without a request: one who looks at an item for a while
should not have to connect again."""
_WAITING = 512
"""Connections that wait to be taken: a team that reloads at once."""


@dataclass(frozen=True)
class Place:
    """A bound socket: the address that people use, and the socket itself."""

    host: str
    port: int
    socket: socket.socket

    @property
    def address(self) -> str:
        """The address without a path."""
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "::", "localhost") else self.host
        return f"http://[{shown}]:{self.port}" if ":" in shown else f"http://{shown}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return _is_loopback(self.host)


def bind(host: str = "127.0.0.1", port: int | None = None) -> Place:
    """Return a bound socket at an address; 0 is any free port, None the usual or one of the next.

    Raises
    ------
    InputError
        If the address is none of this machine, or its port is taken.
    """
    tried = range(PORT, PORT + _NEXT_PORTS) if port is None else (port,)
    reason = ""
    for candidate in tried:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, candidate, type=socket.SOCK_STREAM
            )[0]
            bound = _listen(socket.socket(family, kind, protocol), address)
            return Place(host, bound.getsockname()[1], bound)
        except (OSError, OverflowError, ValueError) as error:
            reason = str(error)
    raise InputError(
        f"host and port must be free on this machine; got {host!r} and {tried[0]}: {reason}. "
        "Choose another with --port."
    )


def serve(
    assay: Assay,
    place: Place,
    engine: Engine | None = None,
    *,
    annotator: str = "admin",
    use_tokens: bool = True,
    names: Iterable[str] = (),
    on_ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the page of an assay until the process is told to stop.

    Parameters
    ----------
    assay, engine
        The assay, and what fits and chooses for it; as in `Room.open`.
    place
        Where, as `bind` gives it; the caller closes its socket.
    annotator
        Name of the admin for whom a link is made.
    use_tokens
        Whether one must have a link or a token; without, everyone on this machine is the admin.
    names
        Further names under which the server is reached, as behind a proxy.
    on_ready
        Called with the address to open.

    Raises
    ------
    InputError
        If other machines could come in without a token.
    """
    if not use_tokens and not place.is_local:
        raise InputError(
            f"a server without tokens must be at 127.0.0.1; got {place.host!r}, where others "
            "could come in. Leave out --no-token."
        )
    everyone = None if use_tokens else Access(annotator, "admin", float("inf"))
    room = Room.open(assay, engine)
    try:
        # A session is a secret already; pages that are open go on after a restart.
        secret = "" if use_tokens else new_token()
        door = Door(room, f"assay-session-{place.port}", everyone, secret)
        app = build_app(room, door, allowed_hosts(place.host, place.port, names))
        query = {"token": assay.admission.invite(annotator, "admin")} if use_tokens else {}
        address = f"{place.address}/join?{urlencode(query)}" if use_tokens else place.address
        config = uvicorn.Config(
            app,
            log_config=None,  # who runs this has logging set up as they like it
            log_level="warning",
            access_log=False,  # addresses may hold a token
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
            timeout_keep_alive=_IDLE_S,
            lifespan="off",
        )
        gc.freeze()  # the pool stays: looking through it for garbage would hold requests up
        on_ready(address)
        uvicorn.Server(config).run(sockets=[place.socket])
    finally:
        gc.unfreeze()
        room.close()


def _listen(bound: socket.socket, address: tuple[object, ...]) -> socket.socket:
    """Bind a socket; one that cannot be bound is closed."""
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
