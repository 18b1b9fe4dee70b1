"""The heads of chains that this user has seen, kept outside the stores.

The head of an assay is the number and the checksum of its last event. A store that was rolled
back, or copied without its log, has an earlier head that fits everything in it; only what was seen
before shows that events are missing. One small file per assay, in a state folder of the user,
holds the last head seen at each place. An assay is known by the checksum of its first event, so a
copy or a moved store is recognised.

The file is replaced as a whole and not synced: a power cut may leave an earlier head, never a
later one than the store has on disk. Without the folder nothing is known, and nothing is said.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

__all__ = ["Head", "Heads", "OlderStoreWarning", "state_folder"]

_log = logging.getLogger(__name__)

_WAITS_S = (0.001,) * 100
"""Waits for another process that writes heads, which takes less than one of them. After all of
them the last one wins: nobody waits long for a lock that hangs."""
_MOST_PLACES = 20
"""Places kept per assay, chosen by hand; those seen last, and the one that came furthest."""


class OlderStoreWarning(UserWarning):
    """A store that may be older than it was: its writer did not close it, and its log is gone."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a history: its last event, and how many labels were told up to it.

    ``digest`` is empty for an event of an old store, which has no checksum. ``at`` is when the
    event was stored.
    """

    seq: int
    digest: str
    labels: int
    at: float
    place: str = ""


def state_folder() -> Path:
    """Return the folder: ASSAY_STATE, or ``accuracy-assay`` under XDG_STATE_HOME."""
    chosen = os.environ.get("ASSAY_STATE", "")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_STATE_HOME", "") or Path.home() / ".local" / "state"
    return Path(home) / "accuracy-assay"


@dataclass(frozen=True)
class Heads:
    """What this user has seen of assays, from the point of view of a store at ``place``.

    Parameters
    ----------
    place
        The path of the store's file, or its URL without a password.
    folder
        Where the heads are.
    """

    place: str
    folder: Path

    @classmethod
    def of(cls, place: str) -> Heads:
        """Return the heads in the state folder of this user."""
        return cls(place, state_folder() / "heads")

    def known(self, assay: str) -> Head | None:
        """Return the head that a store at this place must hold; None if nothing is known.

        It is the last one seen here. At a new place it is the furthest one seen anywhere.
        """
        lines = self._lines(assay)
        if self.place in lines:
            return lines[self.place]
        return max(lines.values(), key=lambda head: head.seq, default=None)

    def note(self, assay: str, head: Head, *, is_accepted: bool = False) -> None:
        """Remember the head of the store at this place.

        An earlier head than is known is taken only where the user ``is_accepted`` it. Where the
        folder cannot be written nothing is remembered.
        """
        try:
            with self._alone():
                lines = self._lines(assay)
                own = lines.pop(self.place, None)
                if own is not None and own.seq >= head.seq and not is_accepted:
                    return
                lines[self.place] = replace(head, place=self.place)
                self._write(assay, lines)
        except OSError as error:
            _log.info("the head of the store is not kept in %s: %s", self.folder, error)

    def _lines(self, assay: str) -> dict[str, Head]:
        """Return the heads by place, the one seen last at the end; damage is nothing known."""
        try:
            found = json.loads((self.folder / assay).read_text(encoding="utf-8"))
            return {line["place"]: Head(**line) for line in found}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError) as error:
            _log.info("what is kept in %s is not used: %s", self.folder / assay, error)
            return {}

    def _write(self, assay: str, lines: dict[str, Head]) -> None:
        kept = list(lines.values())[-_MOST_PLACES:]
        furthest = max(lines.values(), key=lambda head: head.seq)
        kept = kept if furthest in kept else [furthest, *kept]
        part = self.folder / f".{assay}-{os.urandom(8).hex()}"
        try:
            part.write_text(json.dumps([asdict(head) for head in kept]), encoding="utf-8")
            part.replace(self.folder / assay)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process at a time change the heads, so that none goes backwards."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with suppress(ImportError):  # Windows: the last one wins
                import fcntl

                for wait_s in _WAITS_S:
                    with suppress(BlockingIOError):
                        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    time.sleep(wait_s)
            yield
        finally:
            os.close(handle)
