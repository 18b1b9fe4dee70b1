"""Checks, overlap and second opinions: asked in their share, of the right people, unrecognised."""

import polars as pl
import pytest
from crowd_world import CHOICES, POOL, TRUTH, answers

import accuracy_assay as aa
from accuracy_assay.domain.events import Asked
from accuracy_assay.storage.memory import MemoryStore

SEED_SET = POOL.head(30).rename({"truth": "label"})


def make_assay(**label: object) -> aa.Assay:
    spec = {
        "assay": {"name": "crowd", "estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "light"}],
        "service": [{"name": "acme", "column": "pred"}],
        "label": {"choices": CHOICES, **label},
    }
    seeds = SEED_SET if label.get("checks") else None
    return aa.Assay.create(MemoryStore(), spec, pool=POOL, seed_set=seeds)


def asked(assay: aa.Assay, who: str, n: int) -> pl.DataFrame:
    """Ask and answer rightly; return what the annotator saw."""
    batch = assay.ask(n, annotator=who)
    ids = batch["id"].to_list()
    assay.tell(ids, [TRUTH[i] for i in ids], who)
    return batch


def purposes(assay: aa.Assay) -> list[str]:
    events = (recorded.event for recorded in assay.session.events())
    return [p for event in events if isinstance(event, Asked) for p in event.purposes if p]


def test_without_a_word_on_annotators_nothing_is_asked_twice() -> None:
    assay = make_assay()
    seen = [i for who in ("ann", "bob") for i in asked(assay, who, 20)["id"]]
    assert len(set(seen)) == 40
    assert purposes(assay) == []


def test_checks_have_their_share_and_look_like_others() -> None:
    assay = make_assay(checks=0.5, overlap=0.0)
    known = set(SEED_SET["id"])
    batch = pl.concat([asked(assay, "ann", 10) for _ in range(4)])
    is_check = batch["id"].is_in(list(known))
    assert is_check.sum() == purposes(assay).count("check") == 20
    reasons = batch.group_by(is_check.alias("is_check")).agg(pl.col("why").unique().sort())
    assert set(reasons.row(0)[1]) == set(reasons.row(1)[1])
    assert is_check[:10].to_list() != sorted(is_check[:10].to_list())  # anywhere among the others


def test_nobody_is_checked_twice_by_one_instance() -> None:
    assay = make_assay(checks=0.5, overlap=0.0)
    seen = [i for _ in range(8) for i in asked(assay, "ann", 10)["id"]]
    assert len(seen) == len(set(seen))


def test_overlap_is_drawn_from_what_others_answered_with_its_chance() -> None:
    assay = make_assay(overlap=0.5)
    first = set(asked(assay, "ann", 20)["id"])
    second = asked(assay, "bob", 10)["id"].to_list()
    events = [r.event for r in assay.session.events() if isinstance(r.event, Asked)]
    drawn = [
        (i, p)
        for event in events
        for i, p, why in zip(event.ids, event.probabilities, event.purposes, strict=False)
        if why == "overlap"
    ]
    assert {i for i, _ in drawn} == set(second) & first
    assert [p for _, p in drawn] == pytest.approx([5 / 20] * 5)


def test_an_expert_checks_what_others_answered() -> None:
    assay = make_assay(experts=["boss"], overlap=0.0)
    first = set(asked(assay, "ann", 20)["id"])
    seen = set(asked(assay, "boss", 10)["id"])
    assert len(seen & first) == 5


def test_where_people_and_service_differ_is_asked_again_before_others() -> None:
    ids = POOL["id"].to_list()[:80]
    said = dict(POOL.select("id", "pred").iter_rows())
    assay = make_assay(overlap=0.01)
    assay.tell(ids, [TRUTH[i] for i in ids], "ann")
    assay.tell(ids[:40], answers(ids[:40], 0.9, 0), "bob")
    seen = set(assay.ask(20, annotator="cem")["id"])
    alone = [i for i in ids[40:] if i in seen]
    assert alone
    assert all(said[i] != TRUTH[i] for i in alone)


def test_who_guesses_is_asked_for_nothing_new() -> None:
    ids = POOL["id"].to_list()
    assay = make_assay(experts=["boss"])
    for seed, (who, right) in enumerate((("ann", 0.95), ("bob", 0.95), ("guess", 1 / 3))):
        assay.tell(ids[:80], answers(ids[:80], right, seed), who)
    assert assay.ask(10, annotator="guess").is_empty()
    assert not assay.ask(10, annotator="ann").is_empty()


def test_a_dearer_person_is_asked_again_for_less() -> None:
    ids = POOL["id"].to_list()[:60]

    def second_opinions(price: float) -> int:
        spec = {"name": "cem", "price": price}
        assay = make_assay(overlap=0.0, price=1.0)
        assay.edit({"annotator": [spec], "label": {"overlap": 0.01}})
        assay.tell(ids, answers(ids, 0.8, 1), "ann")
        assay.tell(ids, answers(ids, 0.8, 2), "bob")
        assay.ask(30, annotator="cem")
        return purposes(assay).count("second")

    assert second_opinions(1.0) > second_opinions(20.0) == 0
