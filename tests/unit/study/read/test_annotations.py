"""Answers of several people to each item, condensed to one row per item."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa

_ROLES = {"y_true": "answer", "y_pred": "pred", "id": "item", "annotator": "who"}


def _rows(right: float, gold: int, n_items: int = 200, people: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], n_items)
    flip = np.where(truth == "a", "b", "a")
    item = np.repeat(np.arange(n_items), people)
    said = np.where(rng.random(item.size) < right, truth[item], flip[item])
    pred = np.where(rng.random(n_items) < 0.9, truth, flip)
    known = [str(t) if k < gold else None for k, t in enumerate(truth)]
    table = {"item": item, "who": np.tile([f"p{k}" for k in range(people)], n_items)}
    table |= {"answer": said, "pred": pred[item], "group": np.where(item % 2, "x", "y")}
    return pl.DataFrame(table).with_columns(
        gold=pl.Series(known, dtype=pl.String).gather(item),
        truth=pl.Series(truth).gather(item),
    )


def test_perfect_annotators_give_the_surface_of_the_truth() -> None:
    rows = _rows(1.0, 0)
    items = rows.unique("item", maintain_order=True)
    asked = aa.estimate(rows, ["group"], **_ROLES, target="pool", estimator="beta-independent")
    plain = aa.estimate(
        items,
        ["group"],
        y_true="truth",
        y_pred="pred",
        target="pool",
        estimator="beta-independent",
    )
    assert np.abs(asked.mean - plain.mean).max() < 1e-9
    assert asked.label_trust is not None
    assert not asked.label_trust.is_verified


def test_gold_answers_are_the_labels_and_the_rest_a_signal() -> None:
    surface = aa.estimate(_rows(0.8, 40), ["group"], **_ROLES, gold="gold", target="pool")
    assert surface.n_labels == 40
    assert surface.support.sum() == 200
    assert "40 checked" in str(surface.label_trust)


def test_a_gate_does_not_fail_a_service_for_what_unverified_answers_explain() -> None:
    rows = _rows(0.7, 0)
    surface = aa.estimate(rows, ["group"], **_ROLES, target="pool", estimator="beta-independent")
    assert surface.overall.mean < 0.85
    assert aa.check(surface, min=0.85).verdict == "not enough labels"


def test_rows_of_one_item_may_not_contradict_each_other() -> None:
    rows = _rows(0.8, 40)
    odd = rows.with_columns(pred=pl.Series(["a", "b", *rows["pred"].to_list()[2:]]))
    with pytest.raises(aa.InputError, match="one value per item"):
        aa.estimate(odd, ["group"], **_ROLES, gold="gold")


def test_gold_without_annotators_is_refused() -> None:
    with pytest.raises(aa.InputError, match="gold must go with annotator"):
        aa.estimate(_rows(0.8, 40), ["group"], y_true="answer", y_pred="pred", gold="gold")
