"""Laws of a session: whatever happens in whatever order, replay gives the same state."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accuracy_assay as aa
from accuracy_assay.domain.events import Asked, Told
from accuracy_assay.errors import AssayError
from accuracy_assay.session.requests import Ask
from accuracy_assay.storage.memory import MemoryStore

POOL = pl.DataFrame(
    {
        "id": [f"x{i}" for i in range(12)],
        "sex": ["f", "m", "m"] * 4,
        "guess": ["cat", "dog"] * 6,
    }
)
pytestmark = pytest.mark.filterwarnings("ignore::accuracy_assay.domain.agreement.AgreementWarning")
"""In some runs no label happens to equal its prediction."""

BUDGET = 4
"""Soon spent, so that most runs meet its end."""


def spec(annotators: int) -> dict[str, Any]:
    return {
        "assay": {
            "estimator": "beta-independent",
            "strategy": "random",
            "budget": BUDGET,
            "batch": 3,
            "lease_minutes": 1,
        },
        "attribute": [{"name": "sex"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"], "annotators": annotators},
    }


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Run:
    """Two sessions on one store, and what they were given."""

    annotators: int
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.store = MemoryStore(self.clock)
        first = aa.Assay.create(self.store, spec(self.annotators), pool=POOL, clock=self.clock)
        self.sessions = [first, self.reopen()]

    def reopen(self) -> aa.Assay:
        return aa.Assay.open(self.store, pool=POOL, clock=self.clock)

    def step(self, action: str, who: int, number: int, label: str) -> None:
        session, name = self.sessions[who % 2], f"annotator {who}"
        try:
            if action == "ask":
                session.ask(number % 4, annotator=name)
            elif action == "cross":
                self.cross(1 + number % 3)
            elif action == "tell":
                session.tell(f"x{number}", label, name, replace=number % 5 == 0)
            elif action == "answer":
                held = session.pending(name)["id"]
                session.tell(held, [label] * held.len(), name)
            elif action == "skip":
                session.skip(f"x{number}", name)
            elif action == "undo":
                session.undo(name)
            else:
                self.clock.now += 20.0 * number
        except AssayError:
            pass

    def cross(self, count: int) -> None:
        """Let both sessions choose before either of them writes."""
        chosen = [
            assay.session.parts().asking.pick(count, f"annotator {k}")
            for k, assay in enumerate(self.sessions)
        ]
        for k, (assay, picks) in enumerate(zip(self.sessions, chosen, strict=True)):
            assay.session.insist(Ask(f"annotator {k}", len(picks), tuple(picks)))


steps = st.lists(
    st.tuples(
        st.sampled_from(["ask", "cross", "tell", "answer", "skip", "undo", "wait"]),
        st.integers(0, 2),
        st.integers(0, 11),
        st.sampled_from(["cat", "dog"]),
    ),
    min_size=6,
    max_size=25,
)


@settings(max_examples=60)
@given(steps, st.integers(1, 2))
def test_replay_of_the_events_gives_the_same_state_and_surface(run_steps, annotators) -> None:
    run = Run(annotators)
    for step in run_steps:
        run.step(*step)
    status = dict(run.sessions[0].status())
    assert dict(run.sessions[1].status()) == status
    again = run.reopen()
    assert dict(again.status()) | {"services": None} == status | {"services": None}
    assert again.labels().equals(run.sessions[0].labels())
    assert again.surface().to_frame().equals(run.sessions[0].surface().to_frame())


@settings(max_examples=60)
@given(steps, st.integers(1, 2))
def test_no_instance_has_more_holders_than_wanted_and_the_budget_holds(
    run_steps, annotators
) -> None:
    run = Run(annotators)
    for step in run_steps:
        run.step(*step)
        ledger = run.sessions[0].session.journal.ledger
        run.sessions[0].status()
        now, n_held = run.clock.now, 0
        for instance in ledger.leases:
            held = ledger.leases.n_holders(instance, now)
            n_held += held
            assert held <= annotators
        assert ledger.leases.n_held(now) == n_held
        assert ledger.n_answers == Counter(who for by in ledger.answers.values() for who in by)
        assert ledger.disputed == {i for i in ledger.answers if ledger.resolve(i).is_disputed}
        assert 0 <= ledger.spent(run.clock.now) <= BUDGET
        assert ledger.n_paid == sum(ledger.paid.values())
        for instance, paid in ledger.paid.items():
            assert paid <= min(len(ledger.asked[instance]), len(ledger.answers[instance]))


@settings(max_examples=60)
@given(steps)
def test_an_instance_is_asked_again_only_after_its_lease_ran_out_or_it_was_given_back(
    run_steps,
) -> None:
    run = Run(1)
    for step in run_steps:
        run.step(*step)
    holder: dict[str, float] = {}
    again = run.reopen()
    again.status()
    for recorded in again.session.events():
        event = recorded.event
        if isinstance(event, Asked):
            for instance in again.session.journal.ledger.granted[recorded.seq]:
                assert holder.get(instance, 0.0) <= recorded.at
                holder[instance] = event.until
        elif isinstance(event, Told):
            for instance in event.ids:
                holder[instance] = float("inf")
        elif hasattr(event, "ids"):
            for instance in event.ids:
                holder.pop(instance, None)


@given(st.lists(st.tuples(st.integers(0, 11), st.sampled_from(["cat", "dog"])), max_size=12))
def test_telling_the_same_again_changes_nothing(answers) -> None:
    run = Run(1)
    told: dict[str, str] = {}
    for number, label in answers:
        told.setdefault(f"x{number}", label)
    run.sessions[0].tell(list(told), list(told.values()))
    events = run.sessions[0].status().events
    assert run.sessions[1].tell(list(told), list(told.values())) == 0
    assert run.sessions[0].status().events == events
    assert run.sessions[0].status().labels == len(told)
