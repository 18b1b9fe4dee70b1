"""Answers of several people in a session: what they add up to, and what changes nothing."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.session.crowd_labels import LEAST_CHECKED
from accuracy_assay.storage.memory import MemoryStore

N = 120
CHOICES = ("cat", "cow", "dog")


def make_pool() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(CHOICES, N)
    light = rng.choice(["day", "night"], N)
    is_right = rng.random(N) < np.where(light == "day", 0.95, 0.75)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N)],
            "light": light,
            "pred": np.where(is_right, truth, np.roll(truth, 1)),
            "truth": truth,
        }
    )


POOL = make_pool()
TRUTH = dict(zip(POOL["id"], POOL["truth"], strict=True))


def make_assay(estimator: str = "beta-independent", **label: object) -> aa.Assay:
    spec = {
        "assay": {"name": "crowd", "estimator": estimator},
        "attribute": [{"name": "light"}],
        "service": [{"name": "acme", "column": "pred"}],
        "label": {"choices": CHOICES, **label},
    }
    return aa.Assay.create(MemoryStore(), spec, pool=POOL)


def answers(ids: Sequence[str], right: float, seed: int) -> list[str]:
    """Answers of which a share is right; one third is what a guesser has."""
    rng = np.random.default_rng(seed)
    others = {i: [c for c in CHOICES if c != TRUTH[i]] for i in ids}
    return [TRUTH[i] if rng.random() < right else str(rng.choice(others[i])) for i in ids]


def told(assay: aa.Assay, people: Mapping[str, tuple[Sequence[str], float]]) -> aa.AccuracySurface:
    for seed, (who, (ids, right)) in enumerate(people.items()):
        assay.tell(ids, answers(ids, right, seed), who)
    return assay.surface()


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
    assert before.overall.upper - before.overall.lower == pytest.approx(
        after.overall.upper - after.overall.lower, rel=0.1
    )
    assert abs(before.overall.mean - after.overall.mean) < before.overall.sd / 2.0


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
