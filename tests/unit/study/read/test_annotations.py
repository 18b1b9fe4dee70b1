"""Answers of several people to each item, condensed to one row per item."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.study.read.crowd import NamesWarning

_ROLES = {"y_true": "answer", "y_pred": "pred", "id": "item", "annotator": "who"}


def _rows(
    right: float, gold: int, n_items: int = 200, people: int = 3, seed: int = 0
) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
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


@pytest.mark.parametrize("estimator", ["beta-independent", "anova-gp"])
def test_perfect_annotators_give_the_surface_of_the_truth(estimator: str) -> None:
    rows = _rows(1.0, 0)
    items = rows.unique("item", maintain_order=True)
    how = {"y_pred": "pred", "target": "pool", "estimator": estimator}
    asked = aa.estimate(rows, ["group"], **{**_ROLES, **how})
    plain = aa.estimate(items, ["group"], y_true="truth", **how)
    assert np.abs(asked.mean - plain.mean).max() < 1e-9
    assert asked.label_trust is not None
    assert not asked.label_trust.is_verified


def test_gold_answers_are_the_labels_and_the_rest_a_signal() -> None:
    surface = aa.estimate(_rows(0.8, 40), ["group"], **_ROLES, gold="gold", target="pool")
    assert surface.n_labels == 40
    assert surface.support.sum() == 200
    assert "40 checked" in str(surface.label_trust)


def test_a_gate_does_not_fail_a_service_for_what_unverified_answers_explain() -> None:
    rows, rng = _rows(0.8, 0), np.random.default_rng(0)
    is_hard = pl.Series(rng.random(200) < 0.2).gather(rows["item"])  # there all err together
    wrong = pl.when(pl.col("truth") == "a").then(pl.lit("b")).otherwise(pl.lit("a"))
    rows = rows.with_columns(answer=pl.when(is_hard).then(wrong).otherwise("answer"))
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


def _overall(rows: pl.DataFrame, **options: Any) -> aa.Estimate:
    return aa.estimate(rows, ["group"], **_ROLES, target="pool", **options).overall


def test_names_of_the_annotators_do_not_matter() -> None:
    rows = _rows(0.8, 40)
    swapped = rows.with_columns(
        pl.col("who").replace({"p0": " José", "p1": "p0", "p2": "Jose\u0301 "})
    )
    other = rows.with_columns(pl.col("who").replace({"p0": "p2", "p1": "p0", "p2": "p1"}))
    assert _overall(rows, gold="gold") == _overall(other, gold="gold")
    with pytest.warns(NamesWarning, match="José"):
        trust = aa.estimate(swapped, ["group"], **_ROLES, gold="gold").label_trust
    assert trust is not None
    assert trust.annotators == 2  # José, however his name is written, and p0


def test_someone_who_guesses_moves_nothing_beyond_noise() -> None:
    rows = _rows(0.8, 60)
    rng = np.random.default_rng(1)
    guess = rows.unique("item", maintain_order=True).with_columns(
        who=pl.lit("guesser"), answer=pl.Series(rng.choice(["a", "b"], 200))
    )
    plain, with_guesser = (_overall(t, gold="gold") for t in (rows, pl.concat([rows, guess])))
    assert abs(with_guesser.mean - plain.mean) < 0.5 * plain.sd


def test_more_answers_narrow_the_overall_on_average() -> None:
    draws = [_rows(0.75, 40, people=7, seed=seed) for seed in range(8)]
    gold = {"y_true": "gold", "y_pred": "pred"}
    known = [rows.unique("item", maintain_order=True) for rows in draws]
    alone = [aa.estimate(t.drop_nulls("gold"), ["group"], **gold, pool=t).overall for t in known]
    found = [alone]
    for people in (1, 3, 7):
        few = [f"p{k}" for k in range(people)]
        some = [rows.filter(pl.col("who").is_in(few)) for rows in draws]
        found.append([_overall(rows, gold="gold") for rows in some])
    width = [float(np.mean([each.upper - each.lower for each in part])) for part in found]
    assert width[3] < width[2] < width[1] < width[0]
    assert width[3] < 0.85 * width[0]


def test_a_comparison_says_of_each_service_what_estimate_says() -> None:
    rows = _rows(0.8, 40).with_columns(other=pl.lit("a"))
    known = {k: v for k, v in _ROLES.items() if k != "y_pred"} | {"gold": "gold"}
    board = aa.compare(rows, ["group"], services=["pred", "other"], **known, target="pool")
    alone = aa.estimate(rows, ["group"], y_pred="pred", referees=["other"], **known, target="pool")
    assert board.surfaces["pred"].overall.mean == pytest.approx(alone.overall.mean, abs=1e-9)
    assert str(board.surfaces["pred"].label_trust) == str(alone.label_trust)
    assert board.surfaces["pred"].label_trust != board.surfaces["other"].label_trust


def test_services_fitted_together_use_what_people_answered() -> None:
    rng = np.random.default_rng(2)
    rows = _rows(0.9, 60)
    models = {
        f"m{k}": pl.when(pl.Series(rng.random(200) < 0.75).gather(rows["item"]))
        .then("truth")
        .otherwise(pl.lit("c"))
        for k in range(6)
    }
    rows = rows.with_columns(**models)
    known = {k: v for k, v in _ROLES.items() if k != "y_pred"} | {"gold": "gold"}
    board = aa.compare(rows, ["group"], services=list(models), **known, target="pool")
    for name, surface in board.surfaces.items():
        truth = (rows[name] == rows["truth"]).mean()
        assert surface.overall.lower - 0.05 < truth < surface.overall.upper + 0.05


def test_services_may_not_answer_an_item_twice() -> None:
    rows = _rows(0.8, 40)
    odd = rows.with_columns(other=pl.Series(["a", "b", *rows["pred"].to_list()[2:]]))
    known = {k: v for k, v in _ROLES.items() if k != "y_pred"} | {"gold": "gold"}
    with pytest.raises(aa.InputError, match="'other' must have one value per item"):
        aa.compare(odd, ["group"], services=["pred", "other"], **known)


def test_a_replay_reveals_gold_and_knows_the_answers_from_the_start() -> None:
    rows = _rows(0.9, 200)
    played = aa.simulate(
        rows,
        ["group"],
        **_ROLES,
        gold="gold",
        seed_size=40,
        budget=20,
        batch=20,
        calibration="raw",
    )
    items = rows.unique("item", maintain_order=True)
    plain = aa.simulate(
        items,
        ["group"],
        y_true="truth",
        y_pred="pred",
        seed_size=40,
        budget=20,
        batch=20,
        calibration="raw",
    )
    assert played.metrics.height == plain.metrics.height
    assert played.surface.n_labels == 60


def test_a_plan_counts_gold_as_its_labels() -> None:
    rows = _rows(0.9, 40)
    found = aa.plan(rows, ["group"], **_ROLES, gold="gold", half_width=0.02)
    assert found.labels_so_far == 40


def test_an_answer_that_nobody_gave_counts_against_the_service() -> None:
    rows = _rows(0.9, 60)
    odd = rows.with_columns(
        pred=pl.when(pl.col("item") % 3 == 0).then(pl.lit("c")).otherwise("pred")
    )
    assert _overall(odd, gold="gold").mean < _overall(rows, gold="gold").mean - 0.15


def test_reports_on_judges_and_columns_count_items_not_answers() -> None:
    rng = np.random.default_rng(3)
    opinion, other = rng.random(200), rng.choice(["s", "m"], 200)
    rows = _rows(0.8, 60)
    rows = rows.with_columns(
        judge=pl.Series(opinion).gather(rows["item"]), size=pl.Series(other).gather(rows["item"])
    )
    columns = aa.Columns(("group",), **_ROLES, gold="gold", judges=("judge",))
    assert aa.judge_report(rows, columns).judges["labels"].to_list() == [60]
    plain = aa.Columns(("group",), **_ROLES, gold="gold")
    assert aa.propose_attributes(rows, plain, columns=["size"]).labels == 60


_FAST = {"target": "pool", "estimator": "beta-independent"}


def test_blank_gold_is_unknown_and_gold_that_contradicts_is_refused_by_name() -> None:
    rows = _rows(0.8, 40)
    blank = rows.with_columns(pl.col("gold").fill_null(" "))
    found, wanted = (
        aa.estimate(r, ["group"], **_ROLES, **_FAST, gold="gold") for r in (blank, rows)
    )
    np.testing.assert_array_equal(found.mean, wanted.mean)
    none = rows.with_columns(gold=pl.lit(None, dtype=pl.String))
    trust = aa.estimate(none, ["group"], **_ROLES, **_FAST, gold="gold").label_trust
    assert trust is not None
    assert not trust.is_verified
    other = pl.col("gold").replace({"a": "b", "b": "a"})
    odd = rows.with_columns(gold=pl.when(pl.col("who") == "p0").then(other).otherwise("gold"))
    with pytest.raises(aa.InputError, match="'gold' must have one value per item; got"):
        aa.estimate(odd, ["group"], **_ROLES, **_FAST, gold="gold")


def test_one_answer_per_item_is_as_without_annotators() -> None:
    rows = _rows(0.8, 0, people=1)
    plain = aa.estimate(rows, ["group"], y_true="answer", y_pred="pred", **_FAST)
    asked = aa.estimate(rows, ["group"], **_ROLES, **_FAST)
    np.testing.assert_array_equal(asked.mean, plain.mean)
    np.testing.assert_array_equal(asked.upper, plain.upper)
    assert aa.check(asked, min=0.6).verdict == aa.check(plain, min=0.6).verdict
    assert "no item was answered twice" in str(asked.label_trust)


def test_items_with_one_answer_do_not_hide_how_far_answers_differ() -> None:
    several = _rows(0.8, 0)
    alone = _rows(0.8, 0, n_items=1_000, people=1).filter(pl.col("item") >= 200)
    both = pl.concat([several, alone])
    few, many = (
        aa.estimate(rows, ["group"], **_ROLES, **_FAST).label_trust for rows in (several, both)
    )
    assert few is not None
    assert many is not None
    assert many.differ == few.differ
