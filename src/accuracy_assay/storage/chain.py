"""The chain of checksums: how a flipped bit in a stored history is found, and what it spares.

Each event carries a checksum of its assay, number, time, kind and payload and of the checksum
before it, so each vouches for all of the history up to it; the name of the assay carries the last
one, so the end cannot be cut off. Events of old stores have none: they are read, and unchecked.
A whole chain may still be an earlier one: it must hold the head that was seen before (`heads`).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from accuracy_assay.domain.events import Recorded, Told, decode
from accuracy_assay.errors import DamageError, OlderStoreError, StoreError
from accuracy_assay.storage.heads import Head

if TYPE_CHECKING:
    from accuracy_assay.protocols import Store

__all__ = ["Chain", "Scraps", "checksum", "count_labels", "good_events", "older"]

_DIGITS = 32
"""Hexadecimal digits of a checksum: 128 bits of SHA-256, which no random flip matches."""


def checksum(before: str, assay: str, seq: int, at: float, kind: str, payload: str) -> str:
    """Return the checksum of an event that follows one with the checksum ``before``.

    The first event follows the empty text.

    Examples
    --------
    >>> first = checksum("", "a", 1, 5.0, "Skipped", "{}")
    >>> len(first), first == checksum("", "a", 2, 5.0, "Skipped", "{}")
    (32, False)
    """
    parts = (before, assay, str(seq), float(at).hex(), kind, payload)
    # Lengths keep the texts apart, whatever characters they hold.
    whole = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def good_events(store: Store, assay: str) -> tuple[Sequence[Recorded], DamageError | None]:
    """Return the events up to the first that is damaged, and what is wrong with that one.

    Of a store that is whole: all events, and None.
    """
    try:
        return store.read(assay), None
    except DamageError as damage:
        return damage.good, damage


def count_labels(recorded: Sequence[Recorded]) -> int:
    """Return how many labels were told."""
    return sum(len(each.event.ids) for each in recorded if isinstance(each.event, Told))


def older(assay: str, seen: Head, last: int, good: Sequence[Recorded]) -> OlderStoreError:
    """Return the error of a store that lacks events which were seen before.

    ``last`` is the number of its last event, and ``good`` are all of its events.
    """
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seen.at))
    where = f" in {seen.place!r}" if seen.place else " by this session"
    if last < seen.seq:
        n_labels, n_events = seen.labels - count_labels(good), seen.seq - last
        labels = f"{n_labels} label{'' if n_labels == 1 else 's'}"
        events = f"{n_events} event{'' if n_events == 1 else 's'}"
        found = (
            f"{last}: {labels} ({events}) newer than this file are known here, the last of "
            f"{at}, seen{where}"
        )
    else:
        found = (
            f"another history: event {seen.seq} of {at}, seen{where}, is not in it, so labels "
            "that were told then may be missing"
        )
    return OlderStoreError(
        f"assay {assay!r} must hold the {seen.seq} events that were seen before; got {found}. "
        "Was it copied without its log (-wal), or restored? Bring back the newer file with its "
        "-wal, or restore the latest backup. To go on without what is missing: assay verify "
        "STORE --accept-older",
        good,
    )


@dataclass
class Chain:
    """The events of an assay from number ``first`` on, compared as they are read.

    ``seen`` is a head that the store is known to have had.
    """

    assay: str
    first: int
    seen: Head | None = None
    is_known: bool = False
    good: list[Recorded] = field(default_factory=list)
    _last_seq: int | None = None
    _head: str = ""
    _before: str = ""
    _next_seq: int | None = None
    _passed: str | None = None

    def follow(
        self, last_seq: Any, head: Any, seq: Any, at: Any, kind: Any, payload: Any, own: Any
    ) -> None:
        """Take in the next row of `schema.reading_query`.

        Raises
        ------
        DamageError
            If it is not the next event, or not what was written.
        """
        self.is_known, self._last_seq, self._head = True, last_seq, head
        if not isinstance(last_seq, int | None):
            raise self.broken(f"a store whose last number is {last_seq!r}")
        if seq is None:  # no event from there on
            return
        if seq == self.first - 1:
            self._pass(seq, own)
            return
        if seq != (self._next_seq or self.first):
            raise self.broken(f"number {seq} in its place")
        if own is None and self._before:
            raise self.broken("one without a checksum")
        if own is not None and own != self._checksum(seq, at, kind, payload):
            raise self.broken("one that its checksum does not fit")
        event = self._event(kind, payload, own)
        self.good.append(Recorded(seq, at, event, is_checked=own is not None))
        self._pass(seq, own)

    def whole(self) -> list[Recorded]:
        """Return the events; they must end where the store says that they do."""
        self._refuse_unless_whole()
        if self.seen is not None and self._lacks(self.seen):
            raise older(self.assay, self.seen, self._reached, self.good)
        return self.good

    @property
    def head(self) -> Head | None:
        """The head of a chain that was read from its first event or from the one after ``seen``.

        None where there is nothing new.
        """
        before = 0 if self.seen is None or self.first == 1 else self.seen.seq
        new = [recorded for recorded in self.good if recorded.seq > before]
        if not new or (self.first > 1 and self.first > before + 1):
            return None
        labels = 0 if not before or self.seen is None else self.seen.labels
        return Head(new[-1].seq, self._before, labels + count_labels(new), new[-1].at)

    @property
    def _reached(self) -> int:
        return 0 if self._next_seq is None else self._next_seq - 1

    def _lacks(self, seen: Head) -> bool:
        """Return whether the store lacks a head, as far as the events that were read show."""
        if self._passed is None:
            return self._reached < seen.seq and (self._last_seq or 0) < seen.seq
        return self._passed != seen.digest

    def _refuse_unless_whole(self) -> None:
        if self._last_seq is None:  # the first version did not say
            return
        is_past = self._last_seq < self.first - 1
        reached = self._reached
        if is_past and not reached:
            return
        if reached < self._last_seq:
            raise self.broken("nothing in its place")
        if reached > self._last_seq or self._head != self._before:
            raise DamageError(
                f"the last event of assay {self.assay!r} must be the one that the store names; "
                f"got number {reached} where it names {self._last_seq}, or another checksum. "
                f"The {reached} events that are there are good: `assay export` saves them.",
                self.good,
            )

    def broken(self, found: str) -> DamageError:
        """Return the error that names the first event that is not what was written."""
        seq = self._next_seq or self.first
        return DamageError(
            f"event {seq} of assay {self.assay!r} must be what was written; got {found}. "
            f"The {seq - 1} events before it are good: `assay export` saves them.",
            self.good,
        )

    def _pass(self, seq: int, own: str | None) -> None:
        self._before, self._next_seq = own or "", seq + 1
        if self.seen is not None and seq == self.seen.seq:
            self._passed = self._before

    def _checksum(self, seq: Any, at: Any, kind: Any, payload: Any) -> str | None:
        """Return the checksum of what was read; None where a flip has changed its type."""
        try:
            return checksum(self._before, self.assay, seq, at, kind, payload)
        except (TypeError, ValueError, OverflowError):
            return None

    def _event(self, kind: Any, payload: Any, own: str | None) -> Any:
        try:
            return decode(kind, payload)
        except StoreError as error:
            if own is not None:  # as it was written, by a later version
                raise
            raise self.broken(f"this: {error}") from None


@dataclass
class Scraps:
    """The events of a damaged assay that are as they were written, wherever they are.

    An event is known by its checksum and by that of the event before it, whose content may be
    damaged. Where the one before is missing, an event is taken for whole if it can be read.
    """

    assay: str
    good: list[Recorded] = field(default_factory=list)
    last: int = 0
    _before: str = ""

    def take(self, seq: Any, at: Any, kind: Any, payload: Any, own: Any) -> None:
        """Take in the next row of `schema.saving_query`."""
        if not isinstance(seq, int) or seq <= self.last:
            return
        is_next, self.last = seq == self.last + 1, seq
        before, self._before = self._before, own if isinstance(own, str) else ""
        try:
            is_whole = (
                own is None
                or not is_next
                or own == checksum(before, self.assay, seq, at, kind, payload)
            )
            event = decode(kind, payload)
        except (StoreError, TypeError, ValueError, OverflowError, AttributeError):
            return
        if is_whole:
            is_checked = own is not None and is_next
            self.good.append(Recorded(seq, float(at), event, is_checked=is_checked))
