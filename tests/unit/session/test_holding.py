"""What waits in a labelling tool is given to nobody else, for as long as it waits."""

import pytest

from accuracy_assay.domain.events import Extended, Told
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.holding import Holding
from accuracy_assay.session.requests import Tell

HOUR = 3600.0
TOOL = "Label Studio at host/projects/1"
TWO_ANSWERS = {"choices": ["cat", "dog"], "annotators": 2}


def holding_of(assay: Assay) -> Holding:
    return Holding(assay.session.parts().asking, TOOL)


def test_a_tool_takes_what_is_worth_most_within_the_budget(bench) -> None:
    assay = bench.create(assay={"budget": 5})
    holding = holding_of(assay)
    holding.take(3)
    held = holding.held()
    assert len(held) == 3
    assert assay.pending(TOOL)["id"].to_list() == held
    holding.take(9)
    assert len(holding.held()) == 5
    holding.take(1)
    assert len(holding.held()) == assay.status().spent == 5


def test_what_waits_is_held_for_hours_and_nobody_else_gets_it(bench) -> None:
    assay = bench.create(assay={"lease_minutes": 30})
    holding = holding_of(assay)
    holding.take(4)
    waiting = holding.held()
    for _ in range(40):
        bench.clock.now += 600.0
        holding.keep(waiting)
    assert holding.held() == waiting
    assert not set(assay.ask(30, annotator="ann")["id"]) & set(waiting)
    n_written = sum(isinstance(entry.event, Extended) for entry in assay.session.events())
    assert n_written <= 7 * HOUR / 900.0  # not one in every round
    assert assay.session.journal.ledger.chances.keys() >= set(waiting)


def test_what_no_longer_waits_is_free_when_its_lease_ends(bench) -> None:
    assay = bench.create(assay={"lease_minutes": 30})
    holding = holding_of(assay)
    holding.take(4)
    rest = holding.held()[1:]
    for _ in range(6):
        bench.clock.now += 600.0
        holding.keep(rest)
    assert holding.held() == rest


def test_after_a_long_pause_the_tool_holds_again_what_nobody_took(bench) -> None:
    assay = bench.create(assay={"lease_minutes": 30}, service=[{"name": "a", "column": "good"}])
    holding = holding_of(assay)
    holding.take(3)
    waiting = holding.held()
    bench.clock.now += 5 * HOUR
    assert holding.held() == []
    assay.tell(waiting[0], "cat", "ann")
    holding.keep(waiting)
    assert holding.held() == waiting[1:]
    n_events = len(assay.session.events())
    holding.keep(waiting)
    assert len(assay.session.events()) == n_events


def test_without_budget_nothing_is_written_in_vain(bench) -> None:
    assay = bench.create(assay={"budget": 3, "lease_minutes": 30})
    holding = holding_of(assay)
    holding.take(3)
    waiting = holding.held()
    bench.clock.now += HOUR
    others = assay.ask(3, annotator="ann")["id"]
    assay.tell(others, bench.truth(others), "ann")
    n_events = len(assay.session.events())
    for _ in range(3):
        holding.keep([i for i in waiting if i not in set(others)])
    assert len(assay.session.events()) == n_events


def test_what_is_given_up_goes_to_others_and_does_not_come_back(bench) -> None:
    assay = bench.create(assay={"budget": 60})
    holding = holding_of(assay)
    holding.take(2)
    skipped, kept = holding.held()
    holding.give_up([skipped])
    n_events = len(assay.session.events())
    holding.give_up([skipped])
    assert len(assay.session.events()) == n_events
    assert holding.held() == [kept]
    holding.take(58)
    assert skipped not in holding.held()
    assert assay.ask(5, annotator="ann")["id"].to_list() == [skipped]


def test_an_instance_that_wants_two_answers_has_two_seats_and_an_answer_frees_one(bench) -> None:
    assay = bench.create(assay={"budget": 9}, label=TWO_ANSWERS)
    holding = holding_of(assay)
    holding.take(9)
    held = holding.held()
    assert (len(held), assay.status().spent) == (4, 8)
    assert assay.ask(9, annotator="cem").height == 1
    for who, left in (("ann@x.org", held), ("bob@x.org", held[1:])):
        told = Told((held[0],), ("cat",), who)
        with assay.session.journal.reading() as ledger:
            freed = holding.freed(ledger, [told])
        assay.session.insist(*freed, Tell(who, told.ids, told.labels))
        holding.keep(left)
        assert holding.held() == left
        assert assay.status().spent == 9


def test_a_seat_too_many_is_given_back(bench) -> None:
    assay = bench.create(label=TWO_ANSWERS)
    holding = holding_of(assay)
    holding.take(3)
    held = holding.held()
    assay.tell(held[0], "cat", "ann")
    assert assay.status().spent == 7
    holding.keep(held)
    assert assay.status().spent == 6


@pytest.mark.parametrize("has_two", [False, True])
def test_of_two_who_would_send_an_instance_one_may_until_its_time_is_over(
    every_bench, has_two: bool
) -> None:
    assay = every_bench.create()
    other = every_bench.open() if has_two else assay
    holding, second = holding_of(assay), holding_of(other)
    holding.take(3)
    ids = holding.held()
    assert holding.claim(ids[:2], 30.0) == tuple(ids[:2])
    assert second.claim(ids, 30.0) == (ids[2],)
    assert holding.claim(ids, 30.0) == ()
    every_bench.clock.now += 31.0
    assert set(second.claim(ids, 30.0)) == set(ids)
