"""Answers of several people in a session: what they add up to, and what changes nothing."""

import numpy as np
from crowd_world import POOL, TRUTH, answers, make_assay, told

import accuracy_assay as aa
from accuracy_assay.session.crowd_labels import LEAST_CHECKED


def test_perfect_annotators_give_the_surface_of_one() -> None:
    ids = POOL["id"].to_list()[:60]
    one = told(make_assay(), {"ann": (ids, 1.0)})
    three = told(make_assay(), dict.fromkeys(("ann", "bob", "cem"), (ids, 1.0)))
    np.testing.assert_allclose(three.mean, one.mean, rtol=1e-9)
    np.testing.assert_allclose(three.upper, one.upper, rtol=1e-9)
    assert one.label_trust is None
    assert three.label_trust is not None


def test_names_of_people_change_nothing() -> None:
    ids = POOL["id"].to_list()[:60]
    people = {"ann": (ids, 0.9), "bob": (ids, 0.7), "cem": (ids[:30], 1 / 3)}
    renamed = dict(zip(("zoe", "ann", "bob"), people.values(), strict=True))
    first, second = told(make_assay(), people), told(make_assay(), renamed)
    np.testing.assert_allclose(first.mean, second.mean, rtol=1e-9)
    np.testing.assert_allclose(first.n, second.n, rtol=1e-9)


def test_who_guesses_has_no_vote_and_adds_no_label() -> None:
    ids = POOL["id"].to_list()
    honest = {"ann": (ids[:60], 0.95), "bob": (ids[:60], 0.95)}
    before = told(make_assay(), honest)
    after = told(make_assay(), {**honest, "guess": (ids[30:], 1 / 3)})
    np.testing.assert_allclose(after.mean, before.mean, rtol=1e-9)
    np.testing.assert_allclose(after.upper, before.upper, rtol=1e-9)


def test_who_guesses_is_told_why_nothing_is_asked() -> None:
    ids = POOL["id"].to_list()
    assay = make_assay(annotators=2)
    told(assay, {"ann": (ids[:60], 0.95), "bob": (ids[:60], 0.95), "guess": (ids[30:60], 1 / 3)})
    assert assay.ask(5, annotator="guess").height == 0
    assert "look like guesses" in str(assay.end("guess"))
    assert assay.end("ann") is None


def test_answers_of_experts_are_the_truth() -> None:
    assay = make_assay(experts=["boss"])
    assay.tell(["x1"], ["cat"], "ann")
    assay.tell(["x1"], ["cat"], "bob")
    assay.tell(["x1"], ["dog"], "boss")
    assert assay.labels()["label"].to_list() == ["dog"]
    assert assay.status().disputed == 0


def test_gold_verifies_and_its_doubt_widens_the_interval() -> None:
    ids = POOL["id"].to_list()
    crowd = {"ann": (ids, 0.8), "bob": (ids, 0.8), "cem": (ids, 0.8)}
    plain = told(make_assay("anova-gp", experts=["boss"]), crowd)
    assay = make_assay("anova-gp", experts=["boss"])
    checked = told(assay, {**crowd, "boss": (ids[:30], 1.0)})
    assert plain.label_trust is not None
    assert not plain.label_trust.is_verified
    assert checked.label_trust is not None
    assert checked.label_trust.is_verified
    assert checked.label_trust.checked == 30
    assert checked.joint is not None
    assert checked.joint.doubt is not None
    true = float((POOL["pred"] == POOL["truth"]).to_numpy().mean())
    assert checked.overall.lower <= true <= checked.overall.upper


def test_rows_are_counted_one_by_one_and_every_output_says_what_they_are_worth() -> None:
    ids = POOL["id"].to_list()
    crowd = {"ann": (ids[:60], 0.8), "bob": (ids[:60], 0.7), "cem": (ids[30:90], 0.8)}
    assay = make_assay("anova-gp", experts=["boss"])
    surface = told(assay, {**crowd, "boss": (ids[:30], 1.0)})
    assert surface.n_labels == assay.status().labels == 90
    assert set(surface.to_frame()["in_rows"]) == {None}  # of 90 rows it isn't certain
    worth = f"worth {surface.label_count.worth:.0f} certain"
    assert 30 < surface.label_count.worth < 90
    gate = aa.check(surface, min=0.5)
    for said in (surface, repr(surface), surface.card("acme"), gate):
        assert worth in str(said)


def test_too_few_checks_verify_nothing() -> None:
    ids = POOL["id"].to_list()
    crowd = {"ann": (ids[:60], 0.8), "bob": (ids[:60], 0.8)}
    few = told(make_assay(experts=["boss"]), {**crowd, "boss": (ids[: LEAST_CHECKED - 1], 1.0)})
    assert few.label_trust is not None
    assert not few.label_trust.is_verified


def test_settled_disputes_are_labels_but_gauge_nobody() -> None:
    ids = POOL["id"].to_list()[:60]
    assay = make_assay()
    told(assay, {"ann": (ids, 0.7), "bob": (ids, 0.7)})
    disputed = [d.id for d in assay.team().disputes]
    assert len(disputed) >= LEAST_CHECKED
    assay.settle(disputed, [TRUTH[i] for i in disputed], "ann")
    trust = assay.surface().label_trust
    assert trust is not None
    assert not trust.is_verified
    labels = dict(assay.labels().select("id", "label").iter_rows())
    assert labels[disputed[0]] == TRUTH[disputed[0]]


def test_one_person_however_the_name_is_typed() -> None:
    assay = make_assay()
    assay.tell(["x1"], ["cat"], "Jose\u0301")
    assay.tell(["x2"], ["cat"], " Jos\u00e9 ")
    assert assay.status().annotators == {"Jos\u00e9": 2}


def test_history_gives_the_same_surface_again() -> None:
    ids = POOL["id"].to_list()
    assay = make_assay(experts=["boss"])
    first = told(assay, {"ann": (ids, 0.8), "bob": (ids, 0.7), "boss": (ids[:20], 1.0)})
    again = aa.Assay.open(assay.session.journal.store, pool=POOL).surface()
    assert np.array_equal(first.mean, again.mean)


def test_a_team_names_who_guesses_and_says_why_a_tie_goes_where() -> None:
    ids = POOL["id"].to_list()
    assay = make_assay(experts=["boss"])
    told(assay, {"ann": (ids, 0.95), "bob": (ids, 0.9), "guess": (ids, 1 / 3)})
    assay.tell(ids[:20], answers(ids[:20], 1.0, 9), "boss")
    team = assay.team()
    by_name = {member.name: member for member in team.members}
    assert [m.name for m in team.members if m.answers_at_random] == ["guess"]
    assert by_name["boss"].is_expert
    assert by_name["ann"].checked == 20
    assert by_name["ann"].reliability is not None
    assert by_name["ann"].reliability[0] > 0.85
    assert all(dispute.why for dispute in team.disputes)
    assert team.confusions[0].truth != team.confusions[0].answer
    assert team.trust == str(assay.surface().label_trust) == assay.status().label_trust


def test_someone_who_gets_worse_drifts() -> None:
    ids = POOL["id"].to_list()
    assay = make_assay()
    told(assay, {"ann": (ids, 0.95), "bob": (ids, 0.95)})
    assay.tell(ids[:60], answers(ids[:60], 1.0, 5), "cem")
    assay.tell(ids[60:], answers(ids[60:], 0.4, 6), "cem")
    drift = {member.name: member.drift for member in assay.team().members}
    assert drift["cem"] is not None
    assert drift["cem"].is_clear
    assert drift["cem"].late < drift["cem"].early
    assert drift["ann"] is not None
    assert not drift["ann"].is_clear
