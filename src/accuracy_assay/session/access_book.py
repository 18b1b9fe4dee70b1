"""Who may work on the page of an assay: links, sessions and tokens, by their digests.

Tokens are never stored, only their digests; tokens are long and random, so a digest reveals
nothing. If two people use the same link at once, the first event wins.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256

from accuracy_assay.domain.events import Invited, Revoked, SignedIn

__all__ = ["Access", "AccessBook", "digest_of", "new_token"]

_TOKEN_BYTES = 32
"""256 bits: nobody guesses that."""


@dataclass(frozen=True)
class Access:
    """Who someone is, and until when."""

    annotator: str
    role: str
    until: float

    @property
    def may_change(self) -> bool:
        """Whether they may label, or do anything but look."""
        return self.role != "reader"

    @property
    def sees_surface(self) -> bool:
        """Whether they may see the surface and the instances behind it."""
        return self.role in ("admin", "reader")

    @property
    def is_admin(self) -> bool:
        """Whether they may see the surface and the team, and settle disputes."""
        return self.role == "admin"


@dataclass
class AccessBook:
    """Links that were not used yet, and the sessions and tokens that are open, by digest.

    ``invited`` holds everyone who was invited and not revoked since, with their role.
    """

    links: dict[str, Access] = field(default_factory=dict)
    passes: dict[str, Access] = field(default_factory=dict)
    invited: dict[str, str] = field(default_factory=dict)

    def apply(self, at: float, event: Invited | SignedIn | Revoked) -> None:
        """Take in what happened at the time ``at``."""
        match event:
            case Invited():
                kind = self.links if event.is_link else self.passes
                kind[event.digest] = Access(event.annotator, event.role, event.until)
                self.invited[event.annotator] = event.role
            case SignedIn():
                link = self.links.pop(event.link, None)
                if link is not None and at < link.until:
                    self.passes[event.session] = replace(link, until=event.until)
            case Revoked():
                self.invited.pop(event.annotator, None)
                for kind in (self.links, self.passes):
                    for digest in [d for d, a in kind.items() if a.annotator == event.annotator]:
                        del kind[digest]

    def link(self, token: str, now: float) -> Access | None:
        """Return whom a link is for, None where it is unknown, used or over."""
        return _found(list(self.links.items()), token, now)

    def waiting(self, now: float) -> list[Access]:
        """Return who has a link that was not used yet: of several of one person, the last."""
        last = {access.annotator: access for access in self.links.values() if now < access.until}
        return [last[name] for name in sorted(last)]

    def who(self, token: str, now: float) -> Access | None:
        """Return whose session or token it is, None where it is unknown, revoked or over."""
        return _found(list(self.passes.items()), token, now)


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def digest_of(token: str) -> str:
    """Return what is stored of a token."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _found(known: Iterable[tuple[str, Access]], token: str, now: float) -> Access | None:
    """Return the access of a token; how long that takes does not depend on which one it is."""
    wanted, found = digest_of(token), None
    for digest, access in known:
        if hmac.compare_digest(digest, wanted) and now < access.until:
            found = access
    return found
