"""What events add up to: leases, answers, and the law of the budget."""

import pytest

from accuracy_assay.domain.events import (
    Asked,
    AssayOpened,
    Claimed,
    Edited,
    Event,
    Extended,
    Fitted,
    Predicted,
    Recorded,
    Settled,
    Skipped,
    Told,
    Undone,
)
from accuracy_assay.errors import StoreError
from accuracy_assay.session.ledger import CLAIM_SECONDS, Ledger

MINUTE = 60.0


def after(*events: tuple[float, Event], budget: int = 10, answers_wanted: int = 1) -> Ledger:
    ledger = Ledger(budget, answers_wanted)
    ledger.apply(Recorded(seq, at, event) for seq, (at, event) in enumerate(events, start=1))
    return ledger


def asked(ids: str, annotator: str = "ann", until: float = MINUTE) -> Asked:
    names = tuple(ids)
    return Asked(names, annotator, until, "reader", ("why",) * len(names), (1.0,) * len(names))


def told(ids: str, annotator: str = "ann", label: str = "cat") -> Told:
    return Told(tuple(ids), (label,) * len(ids), annotator)


def test_two_proposals_that_crossed_share_what_the_budget_has_left() -> None:
    ledger = after((0.0, asked("abc")), (0.0, asked("def", "bob")), budget=4)
    assert ledger.granted == {1: ("a", "b", "c"), 2: ("d",)}
    assert ledger.spent(0.0) == 4


def test_a_lease_that_ran_out_gives_its_part_of_the_budget_back() -> None:
    ledger = after((0.0, asked("abc")), (2 * MINUTE, asked("def", "bob", 3 * MINUTE)), budget=3)
    assert ledger.granted[2] == ("d", "e", "f")
    assert ledger.spent(2 * MINUTE) == 3


def test_a_lease_that_ran_out_is_no_random_draw_of_the_next_one() -> None:
    drawn = Asked(("a",), "ann", MINUTE, "s", ("",), (0.1,), (0.1,), (True,))
    chosen = Asked(("a",), "bob", 9 * MINUTE, "s", ("",), (1.0,), (0.0,), (False,))
    assert after((0.0, drawn)).at_random == {"a"}
    assert after((0.0, drawn), (2 * MINUTE, chosen)).at_random == set()


def test_late_answers_without_room_are_kept_and_cost_nothing() -> None:
    ledger = after(
        (0.0, asked("abc")),
        (2 * MINUTE, asked("def", "bob", 9 * MINUTE)),
        (2 * MINUTE, told("def", "bob")),
        (3 * MINUTE, told("abc")),
        budget=4,
    )
    assert set(ledger.answers) == set("abcdef")
    assert ledger.spent(3 * MINUTE) == 4


def test_late_answers_are_paid_for_while_there_is_room() -> None:
    ledger = after((0.0, asked("abc")), (2 * MINUTE, told("ab")), budget=10)
    assert ledger.spent(2 * MINUTE) == 2


def test_an_answer_in_time_takes_the_place_of_its_lease() -> None:
    ledger = after((0.0, asked("abc")), (1.0, told("a")), budget=3)
    assert (ledger.spent(1.0), ledger.n_paid, ledger.leases.held_by("ann", 1.0)) == (
        3,
        1,
        ["b", "c"],
    )


def test_a_lease_that_is_extended_ends_later_and_keeps_its_place_and_chance() -> None:
    leases = ((0.0, asked("ab")), (1.0, asked("c", "bob")))
    ledger = after(*leases, (50.0, Extended(("a", "c"), "ann", 3 * MINUTE)))
    assert ledger.leases.held_by("ann", 2 * MINUTE) == ["a"]
    assert ledger.leases.held_by("bob", 2 * MINUTE) == []
    assert ledger.chances == after(*leases).chances
    assert list(ledger.chances) == ["a", "b", "c"]


def test_a_lease_that_is_over_is_not_extended() -> None:
    late = (2 * MINUTE, Extended(("a", "b"), "ann", 3 * MINUTE))
    answered = after((0.0, asked("ab")), (1.0, told("a")), late)
    assert answered.leases.held_by("ann", 2 * MINUTE) == []
    assert answered.spent(2 * MINUTE) == 1


def test_answers_that_nobody_asked_for_cost_nothing() -> None:
    ledger = after((0.0, told("abcdef")), budget=2)
    assert (ledger.spent(0.0), len(ledger.answers)) == (0, 6)


def test_an_answer_taken_back_is_held_again_where_the_budget_allows_it() -> None:
    before = ((0.0, asked("a")), (1.0, told("a")))
    ledger = after(*before, (2.0, Undone(("a",), "ann", MINUTE)), budget=1)
    assert (ledger.leases.held_by("ann", 2.0), ledger.spent(2.0), ledger.answers) == (["a"], 1, {})
    gift = ((0.0, told("z")), (0.0, asked("a", "bob")))
    full = after(*gift, (1.0, Undone(("z",), "ann", MINUTE)), budget=1)
    assert (full.leases.held_by("ann", 1.0), full.spent(1.0)) == ([], 1)


def test_an_instance_goes_to_whom_it_was_given_first() -> None:
    ledger = after((0.0, asked("ab")), (0.0, asked("bc", "bob")))
    assert ledger.granted == {1: ("a", "b"), 2: ("c",)}


def test_several_opinions_each_count_and_no_more_than_wanted_are_given() -> None:
    ledger = after(
        (0.0, asked("a")),
        (0.0, asked("a", "bob")),
        (0.0, asked("a", "cid")),
        (1.0, told("a")),
        (1.0, told("a", "bob", "dog")),
        answers_wanted=2,
    )
    assert ledger.granted == {1: ("a",), 2: ("a",), 3: ()}
    assert ledger.spent(1.0) == 2
    assert ledger.resolve("a").is_disputed
    assert ledger.resolve("a").label == "cat"  # the earliest of as many votes


def test_a_contradiction_counts_for_nothing_unless_it_says_that_it_replaces() -> None:
    again = Told(("a",), ("dog",), "ann", is_replacing=True)
    ledger = after((0.0, told("a")), (1.0, told("a", label="dog")))
    assert (ledger.refused, ledger.resolve("a").label) == ({2: "a"}, "cat")
    assert after((0.0, told("a")), (1.0, again)).resolve("a").label == "dog"


def test_a_skipped_instance_is_free_for_others_only() -> None:
    ledger = after((0.0, asked("a")), (1.0, Skipped(("a",), "ann")))
    assert not ledger.is_free("a", "ann", 1.0)
    assert ledger.is_free("a", "bob", 1.0)


def test_the_first_prediction_stands_and_costs_add_up() -> None:
    first = Predicted("reader", ("a",), ("cat",), (0.5,), 0.25)
    again = Predicted("reader", ("a", "b"), ("dog", "dog"), (None, None), 0.5)
    ledger = after((0.0, first), (1.0, again))
    assert ledger.predictions["reader"] == {"a": ("cat", 0.5), "b": ("dog", None)}
    assert ledger.cost["reader"] == pytest.approx(0.75)
    assert ledger.seen_seq("reader") == ledger.seen_seq("nobody", "reader") == 2
    assert ledger.seen_seq("nobody") == 0


def test_events_must_come_without_gaps() -> None:
    with pytest.raises(StoreError, match="the next event must be 1; got 2"):
        Ledger().apply([Recorded(2, 0.0, told("a"))])


def test_a_clock_that_jumped_far_ahead_does_not_lock_the_budget() -> None:
    ledger = Ledger(budget=2)
    opened = AssayOpened({"assay": {"budget": 2, "lease_minutes": 10}}, 9, "d")
    years = 3e8
    ahead = Asked(("a", "b"), "ann", years + 600.0, "s", ("r",) * 2, (1.0,) * 2)
    ledger.apply([Recorded(1, 0.0, opened), Recorded(2, years, ahead)])
    assert ledger.spent(years) == 2
    assert ledger.spent(10.0) == 0  # the clock is right again
    again = Asked(("a", "b"), "bob", 20.0 + 600.0, "s", ("r",) * 2, (1.0,) * 2)
    ledger.apply([Recorded(3, 20.0, again)])
    assert ledger.leases.held_by("bob", 30.0) == ["a", "b"]
    assert ledger.leases.held_by("ann", 30.0) == []


def test_a_claim_of_a_clock_that_had_jumped_ahead_counts_as_over() -> None:
    claims = {"soon": CLAIM_SECONDS, "far": 3.0 * CLAIM_SECONDS}
    ledger = after(*((0.0, Claimed("reader", (i,), "one", until)) for i, until in claims.items()))
    assert not ledger.is_unclaimed("reader", "soon", "two", 1.0)
    assert ledger.is_unclaimed("reader", "far", "two", 1.0)


def test_an_edit_forgets_how_near_the_goal_was() -> None:
    fitted = Fitted("reader", 1, 3, 0.1, half_width=0.2)
    edited = Edited({"assay": {"budget": 10}}, ("budget",))
    assert after((0.0, fitted)).half_widths == {"reader": {3: 0.2}}
    assert after((0.0, fitted), (1.0, edited)).half_widths == {}


def test_once_there_are_answers_enough_nobody_holds_the_instance() -> None:
    held = ((0.0, asked("a")), (0.0, asked("a", "bob")))
    first = (1.0, told("a", "cat"))
    one = after(*held, first, answers_wanted=2)
    assert (one.leases.is_held("a", "ann", 1.0), one.leases.is_held("a", "bob", 1.0)) == (
        True,
        True,
    )
    both = after(*held, first, (2.0, told("a", "dan")), answers_wanted=2)
    assert both.leases.held(2.0) == []


def test_leases_of_a_spec_that_allowed_longer_ones_are_held_to_their_end() -> None:
    long, short = ({"assay": {"budget": 9, "lease_minutes": minutes}} for minutes in (60, 1))
    ledger = after(
        (0.0, Edited(long, ())),
        (0.0, asked("a", until=60 * MINUTE)),
        (1.0, Edited(short, ())),
    )
    assert ledger.leases.held_by("ann", 2.0) == ["a"]


def test_what_was_settled_is_disputed_no_more() -> None:
    settled = ((0.0, told("a")), (1.0, Settled(("a",), ("dog",), "expert")))
    ledger = after(*settled, (2.0, told("a", "bob", "dog")), answers_wanted=2)
    assert ledger.disputed == set()
    assert ledger.resolve("a").label == "dog"


def asked_to_confirm(ids: str, *confirm: dict[str, float], who: str = "ann") -> Asked:
    names = tuple(ids)
    picks = (("why",) * len(names), (1.0,) * len(names), (), (), ())
    return Asked(names, who, MINUTE, "reader", *picks, confirm)


def test_the_budget_pays_for_confirmations_that_were_asked_for_and_given() -> None:
    asked_for = asked_to_confirm("ab", {"hat": 0.3, "age": 0.1}, {})
    held = (0.0, asked_for)
    assert after(held).spent(0.0) == 2.4
    answer = Told(("a", "b"), ("cat", "cat"), "ann", ({"hat": "yes"}, {"age": "old"}))
    told_both = after(held, (1.0, answer))
    assert told_both.spent(1.0) == told_both.used == 2.3  # nobody asked for the age of b
    taken_back = after(held, (1.0, answer), (2.0, Undone(("a",), "ann", 2.0)))
    assert taken_back.used == 1.0


def test_what_the_budget_cannot_confirm_is_asked_as_a_label_alone() -> None:
    asked_for = asked_to_confirm("abc", {"hat": 0.3}, {"hat": 0.8}, {"hat": 0.1})
    ledger = after((0.0, asked_for), budget=2)
    assert ledger.granted == {1: ("a",)}
    ledger = after((0.0, asked_for), budget=3)
    assert ledger.granted == {1: ("a", "b")}
    assert ledger.to_confirm == {"a": ("hat",)}
    assert ledger.spent(0.0) == 2.3
    assert ledger.room(0.0) == pytest.approx(0.7)


def test_spent_stays_a_whole_number_where_nothing_is_confirmed_at_a_price() -> None:
    ledger = after((0.0, asked("ab")), (1.0, told("a")))
    assert (repr(ledger.spent(1.0)), repr(ledger.used)) == ("2", "1")


def opened(*shown: str) -> AssayOpened:
    return AssayOpened({"label": {"show": {"text": list(shown)}}}, 9, "")


def test_a_label_remembers_what_was_shown_to_all_who_gave_it() -> None:
    edited = Edited(dict(opened("text", "llm").spec), ("label.show",))
    settled = Settled(tuple("a"), ("cat",), "boss")
    first = (0.0, opened("text")), (0.0, told("ab"))
    assert after(*first, (1.0, edited)).shown_with("a") == {"text"}
    later = after(*first, (1.0, edited), (2.0, told("c")), (2.0, settled))
    assert [sorted(later.shown_with(i)) for i in "abcz"] == [
        ["llm", "text"],
        ["text"],
        ["llm", "text"],
        ["text"],
    ]
    again = after(*first, (1.0, edited), (2.0, told("a")))
    assert again.shown_with("a") == {"text"}  # the same answer twice says nothing new
