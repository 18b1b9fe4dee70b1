"""Handing out instances: within the budget, to one annotator each, by the surfaces so far."""

import threading
from typing import Any

import numpy as np
import polars as pl
import pytest
from patience import PATIENCE_S

from accuracy_assay.domain.events import Asked
from accuracy_assay.domain.question import Question
from accuracy_assay.errors import InputError
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.requests import Ask


def test_no_more_is_chosen_than_the_budget_has_left(bench) -> None:
    assay = bench.create(assay={"budget": 12})
    assay.ask(7, annotator="ann")
    assay.ask(9, annotator="bob")
    assert len(assay.session.events()[-1].event.ids) == 5
    n_events = len(assay.session.events())
    assert assay.ask(1, annotator="cem").height == 0
    assert len(assay.session.events()) == n_events


def test_another_opinion_is_paid_from_the_same_budget(bench) -> None:
    label = {"choices": ["cat", "dog"], "annotators": 2}
    assay = bench.create(assay={"budget": 7}, label=label)
    assay.ask(5, annotator="ann")
    assert assay.ask(5, annotator="bob")["why"].to_list() == ["another opinion"] * 2
    assert assay.status().spent == 7


def test_the_budget_is_never_exceeded(every_bench) -> None:
    assay, other = every_bench.create(assay={"budget": 12}), every_bench.open()
    assert assay.ask(7, annotator="ann").height == 7
    assert other.ask(7, annotator="bob").height == 5
    assert assay.ask(7, annotator="cem").height == 0
    assert assay.status().spent == 12
    held = other.pending("bob")["id"]
    other.tell(held, every_bench.truth(held), "bob")
    assert other.status().spent == 12
    assay.skip(assay.pending("ann")["id"][:2], "ann")
    assert assay.ask(7, annotator="cem").height == 2


def test_sessions_whose_proposals_crossed_get_no_more_than_the_budget(every_bench) -> None:
    first, second = every_bench.create(assay={"budget": 10}), every_bench.open()
    picks = first.session.pick(8)
    others = second.session.pick(8, [pick.instance for pick in picks])
    assert len(first.session.insist(Ask("ann", 8, tuple(picks)))[0]) == 8
    assert len(second.session.insist(Ask("bob", 8, tuple(others)))[0]) == 2
    assert first.status().spent == second.status().spent == 10


def test_late_answers_are_kept_within_the_budget_and_asking_stops(every_bench) -> None:
    sections = {"budget": 4, "lease_minutes": 10}
    assay, other = every_bench.create(assay=sections), every_bench.open()
    late = assay.ask(4, annotator="ann")["id"]
    every_bench.clock.now += 601
    in_time = other.ask(4, annotator="bob")["id"]
    assert in_time.len() == 4
    assert other.status().spent == 4
    assay.tell(late, every_bench.truth(late), "ann")
    assert assay.status().spent == 4
    other.tell(in_time, every_bench.truth(in_time), "bob")
    every_bench.clock.now += 601
    for session in (assay, other, every_bench.open()):
        status = session.status()
        assert (status.spent, status.answers) == (4, 8)
        assert status.labels == len({*late, *in_time})
        assert session.ask(4, annotator="cem").height == 0


def test_two_annotators_never_hold_the_same_instance(every_bench) -> None:
    first, second = every_bench.create(), every_bench.open()
    given = [
        set(session.ask(5, annotator=name)["id"])
        for _ in range(3)
        for session, name in ((first, "ann"), (second, "bob"))
    ]
    assert sum(map(len, given)) == len(set().union(*given)) == 30


def test_threads_of_one_process_get_different_instances(bench) -> None:
    assay = bench.create(assay={"budget": 60})
    given: list[str] = []
    threads = [
        threading.Thread(
            target=lambda who: given.extend(assay.ask(9, annotator=who)["id"]), args=w
        )
        for w in (("ann",), ("bob",), ("cem",), ("dee",))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(given) == len(set(given)) == 36


def test_what_went_to_another_in_between_is_chosen_anew(bench) -> None:
    assay, other = bench.create(assay={"budget": 60}), bench.open()
    picks = assay.session.parts().asking.pick(5, "ann")
    other.ask(58, annotator="bob")
    (given,) = assay.session.insist(Ask("ann", 5, tuple(picks)))
    assert len(given) + assay.ask(5, annotator="ann").height == 2


def test_a_write_gives_way_to_what_came_in_between(bench) -> None:
    assay, other = bench.create(), bench.open()
    append, attempts = assay.session.journal.store.append, []

    def late(*arguments: Any) -> int:
        attempts.append(arguments[2])
        if len(attempts) <= 5:
            other.skip(f"x{len(attempts)}", "bob")
        return append(*arguments)

    assay.session.journal.store.append = late
    assert assay.ask(3).height == 3
    is_ask = [expected for expected in attempts if isinstance(expected, int)]
    assert len(is_ask) == 2  # polite twice, then whatever happened
    assert sum(isinstance(r.event, Asked) for r in other.session.events()) == 1


def test_overlap_is_handed_out_when_it_is_asked_for(bench) -> None:
    assay = bench.create(label={"choices": ["cat", "dog"], "annotators": 2})
    ann, bob = assay.ask(5, annotator="ann"), assay.ask(5, annotator="bob")
    assert sorted(ann["id"]) == sorted(bob["id"])
    assert set(bob["why"]) == {"another opinion"}
    assert not set(assay.ask(5, annotator="cem")["id"]) & set(ann["id"])
    assay.tell(ann["id"], bench.truth(ann["id"]), "ann")
    assert not set(assay.ask(5, annotator="ann")["id"]) & set(ann["id"])


def test_a_lease_that_runs_out_frees_the_instance(bench) -> None:
    assay = bench.create(assay={"lease_minutes": 10, "budget": 60})
    held = set(assay.ask(60, annotator="ann")["id"])
    assert len(held) == 60
    assert assay.ask(5, annotator="bob").height == 0
    bench.clock.now += 601
    assert assay.pending("ann").height == 0
    assert assay.ask(5, annotator="bob").height == 5
    late = next(iter(held - set(assay.pending("bob")["id"])))
    assert assay.tell(late, "cat", "ann") == 1


def test_a_skipped_instance_goes_to_another(bench) -> None:
    pool = bench.pool[:3]
    assay = Assay.create(bench.open_store(), _spec_of_three(), pool=pool, clock=bench.clock)
    first = assay.ask(3, annotator="ann")["id"]
    assay.skip(first[:1], "ann", reason="too noisy")
    assert assay.ask(3, annotator="ann").height == 0
    assert assay.ask(3, annotator="bob")["id"].to_list() == [first[0]]
    assert assay.status().skipped == 1


def _spec_of_three() -> dict[str, Any]:
    return {
        "assay": {"estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "sex", "values": ["f", "m"]}],
        "service": [{"name": "good", "column": "good"}],
    }


def test_rows_of_the_seed_set_are_not_asked_for(guessed) -> None:
    unlabelled = {str(i) for i in guessed.pool["id"]}
    guessed.pool = pl.concat([guessed.pool, guessed.seed[:10].select(guessed.pool.columns)])
    assay = guessed.create()
    assert assay.status().pool == 90
    assert set(assay.ask(90)["id"]) == unlabelled


def test_the_event_says_why_and_with_what_probability(bench) -> None:
    assay = bench.create()
    ids = assay.ask(6, annotator="ann")["id"]
    event = assay.session.events()[-1].event
    assert isinstance(event, Asked)
    assert (event.ids, event.annotator) == (tuple(ids), "ann")
    assert event.reasons == ("at random",) * 6
    assert event.probabilities == pytest.approx([1 / 60, 1 / 59, 1 / 58, 1 / 57, 1 / 56, 1 / 55])
    assert event.least == event.probabilities
    assert event.until == bench.clock.now + 60.0 * assay.spec.assay.lease_minutes


def test_the_seed_of_the_spec_decides_what_is_drawn(bench) -> None:
    specs = ({"name": "a", "seed": 1}, {"name": "b", "seed": 1}, {"name": "c", "seed": 2})
    drawn = [bench.create(assay=spec).ask(10, annotator="ann")["id"].to_list() for spec in specs]
    assert drawn[0] == drawn[1] != drawn[2]


def test_services_take_turns_in_guiding_unless_the_strategy_can_weigh_them_together(bench) -> None:
    assay = bench.create()
    for _ in range(3):
        assay.ask(1)
    guided = [r.event.service for r in assay.session.events() if isinstance(r.event, Asked)]
    assert guided == ["good", "bad", "good"]


def test_the_default_methods_weigh_all_services_at_once(bench) -> None:
    by_variance = {"name": "variance-reduction", "cover_labels": 0}
    assay = bench.create(assay={"estimator": "anova-gp", "strategy": by_variance})
    for _ in range(2):
        ids = assay.ask(5)["id"]
        assay.tell(ids, bench.truth(ids))
    asked = [r.event for r in assay.session.events() if isinstance(r.event, Asked)]
    assert sorted(asked[1].service.split(", ")) == ["bad", "good"]
    assert "variance" in asked[1].reasons[0]
    status = assay.status()
    assert status.labels == 10
    assert [s.fitted_labels for s in status.services] == [5, 5]
    assert all(s.expected_macro_mse > 0.0 for s in status.services)
    assert all(s.labels_to_halve is None for s in status.services)
    for _ in range(4):
        ids = assay.ask(10)["id"]
        assay.tell(ids, bench.truth(ids))
    assert any((s.labels_to_halve or 0.0) > 0.0 for s in assay.status().services)


def test_annotators_who_ask_one_after_another_share_a_batch(bench) -> None:
    methods = {"strategy": "largest-variance", "estimator": "beta-independent"}
    assay = bench.create(assay=methods)
    arms = [assay.ask(1, annotator=f"annotator {i}")["arm"][0] for i in range(4)]
    assert len(set(arms)) == 4  # each arm once: what others hold counts as visited


def test_labels_that_no_fit_has_seen_yet_count_as_seen(bench) -> None:
    methods = {"strategy": "variance-reduction", "estimator": "anova-gp", "refit_every": 40}
    assay = bench.create(assay={**methods, "budget": 40})
    visited = []
    for _ in range(8):
        batch = assay.ask(1, annotator="ann")
        visited.append(batch["arm"][0])
        assay.tell(batch["id"], bench.truth(batch["id"]), "ann")
    assert len(set(visited)) == 4  # of four; otherwise the same one is asked for


def test_asking_ends_when_the_goal_of_the_spec_is_reached(bench) -> None:
    stop = {"half_width": 0.3, "for": "overall"}
    assay = bench.create(service=[{"name": "good", "column": "good"}], assay={"stop": stop})
    assert assay.end() is None
    while (ids := assay.ask(5)["id"]).len():
        assay.tell(ids, bench.truth(ids))
    assert 0 < assay.status().labels < 40  # before the budget ended
    assert assay.end() == assay.end("ann")
    assert "the goal is reached: the overall accuracy is known to within" in str(assay.end())
    service = assay.status().services[0]
    assert service.half_width is not None
    assert service.half_width <= 0.3
    assert assay.status().stop == {"half_width": 0.3, "for": "overall", "where": {}}
    assay.edit({"assay": {"stop": {"half_width": 0.001}}})
    assert assay.ask(5).height == 5


def test_a_surface_looked_at_after_every_round_does_not_hide_the_goal(bench) -> None:
    stop = {"half_width": 0.3, "for": "overall"}
    assay = bench.create(service=[{"name": "good", "column": "good"}], assay={"stop": stop})
    while (ids := assay.ask(5)["id"]).len():
        assay.tell(ids, bench.truth(ids))
        assay.surface()
    assert "the goal is reached" in str(assay.end())


def test_one_narrow_fit_does_not_end_asking(bench) -> None:
    stop = {"half_width": 0.49, "for": "overall"}
    assay = bench.create(service=[{"name": "good", "column": "good"}], assay={"stop": stop})
    ids = assay.ask(5)["id"]
    assay.tell(ids, bench.truth(ids))
    ids = assay.ask(5)["id"]  # the first fit is narrow enough
    assert ids.len() == 5
    assert assay.status().services[0].half_width <= 0.49
    assay.tell(ids, bench.truth(ids))
    assert assay.ask(5).height == 0


def test_asking_ends_when_the_budget_or_the_pool_does(bench) -> None:
    assay = bench.create(assay={"budget": 3})
    assay.ask(3)
    assert assay.end() == "all that is left of the budget is held by annotators"
    assay.tell(assay.pending()["id"], ["cat"] * 3)
    assert assay.end() == "the budget is spent"
    assay.edit({"assay": {"budget": 100}})
    assay.ask(60)
    assert assay.end() == "all instances are answered, held or skipped"


def test_a_share_of_random_picks_gives_every_instance_a_chance(bench) -> None:
    assay = bench.create(
        service=[{"name": "good", "column": "good"}],
        assay={"strategy": "variance-reduction", "explore": 0.2},
    )
    assay.ask(5)
    event = assay.session.events()[-1].event
    assert event.least == pytest.approx(0.2 / (60.0 - np.arange(5)))


def test_a_tenth_of_the_picks_is_random_and_logged_unless_the_spec_says_otherwise(bench) -> None:
    service = [{"name": "good", "column": "good"}]
    assay = bench.create(service=service, assay={"strategy": "variance-reduction"})
    asked = assay.ask(40)
    event = assay.session.events()[-1].event
    assert event.least == pytest.approx(0.1 / (60.0 - np.arange(40)))
    assert event.at_random == tuple(why == "at random" for why in asked["why"])
    assay.tell(asked["id"], ["cat"] * 40)
    labels = assay.labels().select("chance", "at_random").rows()
    assert labels == list(zip(event.probabilities, event.at_random, strict=True))
    assert assay.status().at_random == sum(event.at_random) > 0
    none = {"name": "none", "strategy": "variance-reduction", "random_share": 0}
    other = bench.create(service=service, assay=none)
    other.ask(40)
    event = other.session.events()[-1].event
    assert not any(event.least)
    assert not any(event.at_random)


def test_the_old_name_of_the_share_still_counts(bench) -> None:
    assay = bench.create(assay={"explore": 0.3})
    assert assay.spec.assay.random_share == 0.3
    assay.edit({"assay": {"explore": 0.2}})
    assert assay.spec.assay.random_share == 0.2


def test_a_share_needs_a_strategy_that_can_draw(bench) -> None:
    assay = bench.create(assay={"strategy": "largest-variance", "random_share": 0.1})
    with pytest.raises(InputError, match="random_share"):
        assay.ask(1)
    assert bench.create(assay={"name": "other", "random_share": 0.1}).ask(1).height == 1
    plain = {"name": "plain", "strategy": "largest-variance"}
    assert bench.create(assay=plain).ask(1).height == 1


def test_instances_are_ranked_by_what_a_label_of_each_is_worth_now(bench) -> None:
    assay = bench.create(
        assay={"strategy": "largest-variance"}, service=[{"name": "good", "column": "good"}]
    )
    given = assay.ask(8, annotator="tool")["id"].to_list()
    arm = dict(assay.pending("tool").select("id", "arm").iter_rows())
    women = bench.pool.filter(pl.col("sex") == "f", ~pl.col("id").is_in(given))
    assay.tell(women["id"], women["truth"], "ann")
    ranked = assay.session.parts().asking.rank(given)
    assert sorted(ranked) == sorted(given)
    assert ranked == assay.session.parts().asking.rank(given)
    assert "sex=m" in arm[ranked[0]]
    assert assay.session.parts().asking.rank([]) == []


def test_what_is_picked_is_a_question_for_a_label(bench) -> None:
    assay = bench.create()
    picks = assay.session.pick(3)
    assert [pick.question for pick in picks] == [Question(pick.instance) for pick in picks]
    assert len({pick.instance for pick in picks}) == 3
