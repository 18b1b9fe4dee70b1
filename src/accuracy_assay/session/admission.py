"""Who may work on the page of an assay: invitations, sessions, and revoking them.

A link is exchanged once for a session. Both are random tokens; events keep their digests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from accuracy_assay.domain.events import Invited, Revoked, SignedIn
from accuracy_assay.errors import InputError
from accuracy_assay.session.access_book import Access, digest_of, new_token
from accuracy_assay.session.answers import check_annotator
from accuracy_assay.session.journal import Journal

__all__ = ["DAYS", "Admission", "Role"]

Role = Literal["annotator", "reader", "admin"]

DAYS = 7.0
"""How long a token or a session is valid: a week of work."""
_MOST_DAYS = 366.0
_DAY_S = 86_400.0


@dataclass(frozen=True)
class Admission:
    """Invites people to one assay, signs them in, and revokes their access."""

    journal: Journal

    def invite(
        self,
        annotator: str,
        role: Role = "annotator",
        *,
        days: float = DAYS,
        is_link: bool = True,
    ) -> str:
        """Return a new token with which someone may work on the page.

        Parameters
        ----------
        annotator
            Who; their answers are recorded under this name.
        role
            ``annotator``, who labels; ``reader``, who sees the surface and can change nothing; or
            ``admin``, who does both and leads the team.
        days
            How long it is valid.
        is_link
            Whether it is exchanged once for a session in a browser, or used by programs as it is.
        """
        if role not in get_args(Role):
            raise InputError(f"role must be annotator, reader or admin; got {role!r}.")
        if not 0.0 < days <= _MOST_DAYS:
            raise InputError(f"days must be above 0 and at most {_MOST_DAYS:.0f}; got {days}.")
        token, who = new_token(), check_annotator(annotator)
        self.journal.append(Invited(who, role, digest_of(token), self._in_days(days), is_link))
        return token

    def invited(self, token: str) -> Access | None:
        """Return whom a link is for, without using it; None if it is used, expired or unknown."""
        with self.journal.reading() as ledger:
            return ledger.access.link(token, self.journal.clock())

    def waiting(self) -> list[Access]:
        """Return who has a link that was not used yet, in the order of their names."""
        with self.journal.reading() as ledger:
            return ledger.access.waiting(self.journal.clock())

    def sign_in(self, token: str, *, days: float = DAYS) -> str | None:
        """Exchange a link's token for a session's; None if it is used, expired or unknown."""
        with self.journal.reading() as ledger:
            if ledger.access.link(token, self.journal.clock()) is None:
                return None
            session = new_token()
            swapped = SignedIn(digest_of(token), digest_of(session), self._in_days(days))
            self.journal.append(swapped)
            known = ledger.access.who(session, self.journal.clock())
        return None if known is None else session

    def who(self, token: str) -> Access | None:
        """Return whose session or token it is; None if it is unknown, revoked or expired."""
        with self.journal.reading() as ledger:
            return ledger.access.who(token, self.journal.clock())

    def glance(self, token: str) -> Access | None:
        """Return whose session or token it is, going by what this process last read."""
        ledger, now = self.journal.glance()
        return ledger.access.who(token, now)

    def revoke(self, annotator: str) -> None:
        """Revoke every link, session and token of an annotator."""
        self.journal.append(Revoked(check_annotator(annotator)))

    def _in_days(self, days: float) -> float:
        return self.journal.clock() + _DAY_S * days
