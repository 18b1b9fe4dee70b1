"""Requests of many people in one writing come to the same as one after the other."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from patience import PATIENCE_S

import accuracy_assay as aa
from accuracy_assay.errors import ConflictError, InputError
from accuracy_assay.session.requests import Ask, GiveBack, Settle, Skip, Tell, Undo


def test_two_who_ask_at_once_get_different_instances(every_bench) -> None:
    assay = every_bench.create()
    picks = tuple(assay.session.pick(6))
    first, second, third = assay.session.carry_out(
        [Ask(who, 3, picks) for who in ("ann", "bob", "cem")]
    )
    assert first + second == tuple(pick.instance for pick in picks)
    assert third == ()
    assert set(assay.pending("ann")["id"]) == set(first)


def test_what_is_picked_besides_is_not_picked_again(bench) -> None:
    assay = bench.create()
    first = assay.session.pick(20)
    second = assay.session.pick(20, [pick.instance for pick in first])
    third = assay.session.pick(60, [pick.instance for pick in (*first, *second)])
    picked = [pick.instance for pick in (*first, *second, *third)]
    assert len(set(picked)) == len(picked) == 60


def test_the_chances_of_a_pick_are_recorded_when_it_is_given(bench) -> None:
    assay = bench.create()
    picks = tuple(assay.session.pick(4))
    assay.session.carry_out([Ask("ann", 2, picks[2:])])
    event = assay.session.events()[-1].event
    assert event.ids == tuple(pick.instance for pick in picks[2:])
    assert event.probabilities == tuple(pick.probability for pick in picks[2:])
    assert event.least == tuple(pick.least for pick in picks[2:])


def test_the_budget_holds_for_all_together(bench) -> None:
    assay = bench.create(assay={"budget": 4})
    picks = tuple(assay.session.pick(9))
    outcomes = assay.session.carry_out([Ask(who, 3, picks) for who in ("ann", "bob", "cem")])
    assert sum(map(len, outcomes)) == 4
    assert assay.status().spent == 4


def test_a_refused_request_leaves_the_others_standing(every_bench) -> None:
    assay = every_bench.create()
    assay.tell(["x1"], ["cat"], "ann")
    before = assay.status().events
    outcomes = assay.session.carry_out(
        [
            Tell("ann", ("x1",), ("dog",)),
            Tell("bob", ("x2", "x3"), ("dog", "cat")),
            Tell("bob", ("nowhere",), ("dog",)),
            Tell("bob", ("x4",), ("giraffe",)),
            Undo("cem"),
            Skip("cem", ("x5",), "too dark"),
        ]
    )
    assert isinstance(outcomes[0], ConflictError)
    assert outcomes[1] == ("x2", "x3")
    assert all(isinstance(outcomes[k], InputError) for k in (2, 3, 4))
    assert outcomes[5] == ("x5",)
    assert assay.status().events == before + 2
    assert assay.status().labels == 3


def test_an_answer_that_was_told_before_is_not_written_again(bench) -> None:
    assay = bench.create()
    tell = Tell("ann", ("x1",), ("cat",))
    assert assay.session.carry_out([tell]) == [("x1",)]
    before = assay.status().events
    assert assay.session.carry_out([tell]) == [()]
    assert assay.status().events == before


def test_identical_answers_in_one_writing_are_recorded_once(bench) -> None:
    assay = bench.create()
    tell = Tell("ann", ("x1", "x2"), ("cat", "dog"))
    more = Tell("ann", ("x2", "x3"), ("dog", "dog"))
    assert assay.session.carry_out([tell, tell, more]) == [("x1", "x2"), (), ("x3",)]
    assert assay.status().labels == 3


def test_of_sessions_that_tell_the_same_at_once_one_records_it(every_bench) -> None:
    sessions = [every_bench.create(), *(every_bench.open() for _ in range(3))]
    start = threading.Barrier(len(sessions))

    def tell(assay: aa.Assay, instance: str) -> int:
        start.wait(PATIENCE_S)
        return assay.tell([instance], ["cat"], "ann")

    with ThreadPoolExecutor(len(sessions)) as threads:
        for instance in (f"x{k}" for k in range(20)):
            recorded = list(threads.map(tell, sessions, [instance] * len(sessions)))
            assert sorted(recorded) == [0, 0, 0, 1], instance
    for assay in sessions:
        assert assay.status().labels == 20


def test_contradictions_within_one_writing_are_settled_by_their_order(bench) -> None:
    assay = bench.create()
    first, second = assay.session.carry_out(
        [Tell("ann", ("x1",), ("cat",)), Tell("ann", ("x1",), ("dog",))]
    )
    assert first == ("x1",)
    assert isinstance(second, ConflictError)
    assert assay.labels()["label"].to_list() == ["cat"]


def test_undone_and_given_back_are_as_by_their_own_calls(bench) -> None:
    assay = bench.create()
    (held,) = assay.session.carry_out([Ask("ann", 2, tuple(assay.session.pick(2)))])
    assay.tell([held[0]], ["cat"], "ann")
    assert assay.session.carry_out([Undo("ann"), GiveBack("ann", (held[1],))]) == [
        (held[0],),
        (held[1],),
    ]
    assert assay.pending("ann")["id"].to_list() == [held[0]]
    assert assay.status().labels == 0


def test_another_opinion_comes_before_new_instances(bench) -> None:
    assay = bench.create(label={"choices": ["cat", "dog"], "annotators": 2})
    assay.tell(["x7"], ["cat"], "ann")
    (given,) = assay.session.carry_out([Ask("bob", 2, tuple(assay.session.pick(5)))])
    assert given[0] == "x7"
    assert len(given) == 2


def test_all_or_none_of_the_requests_are_carried_out_where_that_is_wanted(bench) -> None:
    session = bench.create().session
    session.insist(Tell("ann", ("x1",), ("cat",)))
    before = session.journal.ledger.seq
    requests = [Tell("bob", ("x2",), ("cat",)), Tell("ann", ("x3", "x1"), ("cat", "dog"))]
    with pytest.raises(ConflictError, match="answer of 'ann' to instance 'x1' must stay 'cat'"):
        session.insist(*requests)
    assert session.journal.ledger.seq == before
    assert set(session.journal.ledger.answers) == {"x1"}


def test_what_changes_nothing_is_not_written(bench) -> None:
    session = bench.create().session
    done = [Tell("ann", ("x1",), ("cat",)), Skip("ann", ("x2",))]
    assert session.insist(*done) == [("x1",), ("x2",)]
    before = session.journal.ledger.seq
    assert session.insist(*done, GiveBack("ann", ("x3",))) == [(), (), ()]
    assert session.journal.ledger.seq == before


def test_what_is_news_only_after_the_request_before_it_is_written(bench) -> None:
    session = bench.create().session
    session.insist(Tell("ann", ("x1",), ("cat",)))
    made = session.insist(Undo("ann"), GiveBack("ann", ("x1",)), Tell("ann", ("x1",), ("cat",)))
    assert made[:2] == [("x1",), ("x1",)]
    assert set(session.journal.ledger.answers) == {"x1"}


def test_a_skip_of_what_was_skipped_before_ends_a_lease_all_the_same(bench) -> None:
    assay = bench.create()
    assay.skip("x1", "ann")
    assay.tell("x1", "cat", "ann")
    assay.undo("ann")
    assert assay.pending("ann")["id"].to_list() == ["x1"]
    assay.skip("x1", "ann")
    assert assay.pending("ann").height == 0


def test_named_answers_are_taken_back_without_holding_them(bench) -> None:
    assay = bench.create()
    assay.tell(["x1", "x2"], ["cat", "cat"], "ann")
    assert assay.session.insist(Undo("ann", ids=("x1",), holds=False)) == [("x1",)]
    assert assay.labels()["id"].to_list() == ["x2"]
    assert assay.pending("ann").height == 0


def test_only_answered_instances_are_settled(bench) -> None:
    assay = bench.create()
    assay.tell("x1", "cat", "ann")
    assay.tell("x1", "dog", "bob")
    first, second = assay.session.carry_out(
        [Settle("admin", ("x1",), ("dog",)), Settle("admin", ("x2",), ("dog",))]
    )
    assert first == ("x1",)
    assert isinstance(second, InputError)
    assert (assay.status().disputed, assay.labels()["label"].to_list()) == (0, ["dog"])
