"""Items without gold: what all answers, and a service's own, make of each."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.storage.memory import MemoryStore

N = 240
ROLES = {"y_true": "answer", "id": "item", "annotator": "who"}
_RNG = np.random.default_rng(2)
TRUTH = _RNG.choice(["a", "b", "c"], N)
OTHER = np.where(TRUTH == "a", "b", "a")
ITEMS = pl.DataFrame(
    {
        "item": [f"x{i}" for i in range(N)],
        "group": _RNG.choice(["x", "y"], N),
        "acme": np.where(_RNG.random(N) < 0.9, TRUTH, OTHER),
        "best": np.where(_RNG.random(N) < 0.8, TRUTH, OTHER),
    }
)


def answers_of(people: dict[str, float], n_items: int = N) -> pl.DataFrame:
    """Answers to the first items, person by person; each is right in a share of them."""
    rng = np.random.default_rng(3)
    parts = [
        ITEMS.head(n_items).with_columns(
            who=pl.lit(name),
            answer=pl.Series(np.where(rng.random(N) < skill, TRUTH, OTHER)[:n_items]),
        )
        for name, skill in people.items()
    ]
    return pl.concat(parts)


def surface_of(rows: pl.DataFrame, service: str = "acme", **options: Any) -> aa.AccuracySurface:
    return aa.estimate(rows, ["group"], y_pred=service, **ROLES, pool=ITEMS, **options)


CROWD = {"ann": 0.8, "bob": 0.75, "cem": 0.7}


def test_mistakes_of_people_are_not_taken_for_those_of_the_service() -> None:
    overall = surface_of(answers_of(CROWD)).overall
    truth = float((ITEMS["acme"].to_numpy() == TRUTH).mean())
    assert abs(overall.mean - truth) < 0.03
    assert overall.lower < truth < overall.upper  # by majorities it has no width


def test_labels_are_counted_and_what_they_are_worth_is_said() -> None:
    surface = surface_of(answers_of(CROWD, 90))
    assert surface.n_labels == 90
    assert 20.0 < surface.label_count.worth < 89.0


def test_a_table_and_a_session_of_the_same_answers_give_the_same_surface() -> None:
    rows = answers_of(CROWD, 90)
    spec = {
        "assay": {"name": "crowd", "strategy": "random"},
        "pool": {"id": "item"},
        "attribute": [{"name": "group"}],
        "service": [{"name": "acme", "column": "acme"}],
        "label": {"choices": ["a", "b", "c"]},
    }
    assay = aa.Assay.create(MemoryStore(), spec, pool=ITEMS)
    for who in rows["who"].unique(maintain_order=True):
        told = rows.filter(pl.col("who") == who)
        assay.tell(told["item"].to_list(), told["answer"].to_list(), who)
    there, here = assay.surface(), surface_of(rows, signals=["acme"])
    for name in ("mean", "lower", "upper", "n", "correct"):
        np.testing.assert_allclose(getattr(here, name), getattr(there, name), atol=1e-9)
    assert here.overall.mean == pytest.approx(there.overall.mean, abs=1e-9)
    assert str(here.label_trust) == str(there.label_trust)
    assert here.label_count.worth == pytest.approx(there.label_count.worth)


@pytest.mark.parametrize("people", [{"ann": 0.7}, dict.fromkeys(CROWD, 1.0)])
def test_where_no_answers_differ_the_answer_is_the_label(people: dict[str, float]) -> None:
    rows = answers_of(people, 90)
    plain = rows.filter(pl.col("who") == "ann")
    one = aa.estimate(plain, ["group"], y_true="answer", y_pred="acme", pool=ITEMS)
    found = surface_of(rows)
    for name in ("mean", "lower", "upper", "n", "correct"):
        np.testing.assert_allclose(getattr(found, name), getattr(one, name), rtol=1e-12)
    assert found.label_count.worth == found.n_labels


def test_who_guesses_has_no_vote_and_moves_nothing() -> None:
    guess = answers_of({**CROWD, "guess": 0.4}).filter(pl.col("who") == "guess")
    guess = guess.with_columns(answer=pl.Series(_RNG.choice(["a", "b", "c"], N)))
    rows = answers_of({"ann": 0.9, "bob": 0.9, "cem": 0.9})
    before, after = surface_of(rows), surface_of(pl.concat([rows, guess]))
    np.testing.assert_allclose(after.mean, before.mean, atol=1e-6)


def test_an_item_without_an_answer_of_the_service_is_wrong() -> None:
    silent = pl.when(pl.col("item").is_in(["x1", "x2"])).then(None).otherwise("acme").alias("acme")
    pool = ITEMS.with_columns(silent)
    rows = answers_of(CROWD).with_columns(silent)
    found = aa.estimate(rows, ["group"], y_pred="acme", **ROLES, pool=pool)
    assert found.overall.mean < surface_of(answers_of(CROWD)).overall.mean


def test_compared_services_have_the_numbers_of_estimate_and_their_own_scores() -> None:
    rows = answers_of(CROWD, 90)
    found = aa.compare(rows, ["group"], services=["acme", "best"], pool=ITEMS, **ROLES)
    for service, other in (("acme", "best"), ("best", "acme")):
        alone = surface_of(rows, service, referees=[other]).overall
        assert found.surfaces[service].overall.mean == pytest.approx(alone.mean, abs=1e-9)
        assert found.surfaces[service].overall.upper == pytest.approx(alone.upper, abs=1e-9)
    difference = found.difference("acme", "best")
    assert difference.lower < 0.1 < difference.upper  # labelled rows are not certain


def test_a_plan_rests_on_what_the_labels_are_worth() -> None:
    asked = ITEMS.join(answers_of(CROWD, 90).select("item", "who", "answer"), "item", how="left")
    found = aa.plan(asked, ["group"], half_width=0.04, y_pred="acme", **ROLES)
    alone = ITEMS.with_columns(label=pl.Series([*TRUTH[:90], *[None] * (N - 90)]))
    certain = aa.plan(alone, ["group"], half_width=0.04, y_true="label", y_pred="acme")
    assert found.labels > certain.labels
