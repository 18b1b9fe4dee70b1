"""What a labelling tool holds for the people who work in it.

An instance that waits in the tool must not be given to anybody else. So the tool is an annotator:
it holds the instance until someone there has answered, and extends its lease while it waits. If an
instance needs several answers, the tool has as many seats; each holds it once, and every answer
frees one.

Before an instance is sent to the tool, it is claimed for as long as sending may take. A process
that died or got no reply may or may not have sent it; nobody sends it again before the claim ends.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accuracy_assay.domain.events import Claimed, Event, Extended, Released, Skipped, Told
from accuracy_assay.domain.question import Question
from accuracy_assay.session.asking import Asking, Pick
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.requests import GiveBack

__all__ = ["Holding"]

_SHARE_LEFT = 0.5
"""Share of a lease left when it is extended: some rounds may be missed, and few events are
written."""


@dataclass(frozen=True)
class Holding:
    """The instances that a tool holds in one place, such as a project."""

    asking: Asking
    name: str

    @property
    def seats(self) -> tuple[str, ...]:
        """The names under which the tool holds instances, one for each answer that is wanted."""
        wanted = self.asking.spec.label.annotators
        return (self.name, *(f"{self.name}, seat {n}" for n in range(2, wanted + 1)))

    def held(self) -> list[str]:
        """Return the instances that the tool holds, in the order in which it got them."""
        with self.asking.journal.reading() as ledger:
            now = self.asking.journal.clock()
            held = (i for seat in self.seats for i in ledger.leases.held_by(seat, now))
            return list(dict.fromkeys(held))

    def take(self, count: int) -> None:
        """Take instances that are most worth a label; fewer where there are no more."""
        seats, journal = self.seats, self.asking.journal
        with journal.reading() as ledger:
            room = int(ledger.room(journal.clock()))
        count = min(count, room // len(seats))
        if count <= 0 or self.asking.is_reached():
            return
        if picks := self.asking.pick(count, self.name):
            again = [Pick(p.question, "another opinion", 1.0, 0.0, p.services) for p in picks]
            proposals = (self.asking.proposal(seat, again) for seat in seats[1:])
            journal.append(self.asking.proposal(self.name, picks), *proposals)

    def keep(self, waiting: Collection[str]) -> None:
        """Hold what waits in the tool for longer, and again what nobody else took meanwhile."""
        journal = self.asking.journal
        with journal.reading() as ledger:
            events = [
                event
                for number, seat in enumerate(self.seats)
                for event in self._kept(ledger, number, seat, waiting)
            ]
            if events:
                journal.append(*events)

    def give_up(self, ids: Collection[str]) -> None:
        """Give back what nobody in the tool will answer; the tool does not get it again."""
        with self.asking.journal.reading() as ledger:
            events = [
                Skipped(skipped, seat, "skipped in the labelling tool")
                for seat in self.seats
                if (skipped := tuple(i for i in ids if seat not in ledger.skips.get(i, ())))
            ]
            if events:
                self.asking.journal.append(*events)

    def freed(self, ledger: Ledger, told: Sequence[Told]) -> list[GiveBack]:
        """Return which seats answers free, to be given back before them: they take their place."""
        people: dict[str, set[str]] = {}
        for event in told:
            for i in event.ids:
                people.setdefault(i, set(ledger.answers.get(i, ()))).add(event.annotator)
        now, seats = self.asking.journal.clock(), self.seats
        left = {i: len(seats) - len(who) for i, who in people.items()}
        freed = [
            tuple(i for i in ledger.leases.held_by(seat, now) if number >= left.get(i, len(seats)))
            for number, seat in enumerate(seats)
        ]
        return [GiveBack(seat, ids) for ids, seat in zip(freed, seats, strict=True) if ids]

    def claim(self, ids: Sequence[str], seconds: float) -> tuple[str, ...]:
        """Return the instances that may be sent now: nobody else can be sending them."""
        journal, sender = self.asking.journal, uuid.uuid4().hex
        with journal.reading() as ledger:
            now = journal.clock()
            free = tuple(i for i in ids if ledger.is_unclaimed(self.name, i, sender, now))
            if not free:
                return ()
            return ledger.claimed[journal.append(Claimed(self.name, free, sender, now + seconds))]

    def _kept(
        self, ledger: Ledger, number: int, seat: str, waiting: Collection[str]
    ) -> list[Event]:
        """Return what a seat, counted from 0, does to hold what it has to and nothing else."""
        spec, now = self.asking.spec, self.asking.journal.clock()
        lease = 60.0 * spec.assay.lease_minutes
        held = set(ledger.leases.held_by(seat, now))
        needed = [
            i for i in waiting if number < spec.label.annotators - len(ledger.answers.get(i, ()))
        ]
        surplus = tuple(i for i in waiting if i in held and i not in needed)
        soon = now + _SHARE_LEFT * lease
        ending = tuple(
            i for i in needed if i in held and (ledger.leases.until(i, seat) or 0.0) < soon
        )
        room = int(ledger.room(now))
        lost = [
            Pick(Question(i), ledger.reasons.get(i, "waits in the labelling tool"), 1.0, 0.0, "")
            for i in needed
            if i not in held and ledger.is_free(i, seat, now)
        ][:room]
        events: list[Event] = [Released(surplus, seat)] if surplus else []
        events += [Extended(ending, seat, now + lease)] if ending else []
        return events + ([self.asking.proposal(seat, lost)] if lost else [])
