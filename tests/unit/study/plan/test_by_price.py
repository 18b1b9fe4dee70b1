"""Which rows go to people and which to judges."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.plan.by_price import PricePlan

PRICES = {"people": 1.0, "llm": 0.02, "copy": 0.02, "other": 0.02}


def world(rng: np.random.Generator, n: int = 4_000, pilot: int = 160) -> pl.DataFrame:
    """Return rows of three kinds; the judge is right in 95%, 70% and 85% of them."""
    kind = rng.integers(0, 3, n)
    right = (rng.random(n) < 0.7).astype(float)
    llm = np.where(rng.random(n) < np.array([0.95, 0.7, 0.85])[kind], right, 1.0 - right)
    other = np.where(rng.random(n) < 0.8, right, 1.0 - right)
    known = pl.when(pl.int_range(n) < pilot)
    rows = pl.DataFrame({"kind": [f"k{k}" for k in kind], "right": right, "llm": llm})
    rows = rows.with_columns(copy="llm", other=pl.Series(other))
    names = ("right", "llm", "copy", "other")
    return rows.with_columns(known.then(name).alias(name) for name in names)


def plan(rows: pl.DataFrame, *judges: str, **options: object) -> PricePlan:
    asked = {"prices": PRICES, "half_width": 0.02, **options}
    return aa.plan_by_price(rows, ["kind"], "right", judges=judges, **asked)


def test_the_plan_costs_no_more_than_people_alone_and_a_fixed_mix(
    rng: np.random.Generator,
) -> None:
    for price in (0.0, 0.02, 0.2, 2.0):
        for of in ("overall", "every-arm"):
            prices = {"people": 1.0, "llm": price}
            found = plan(world(rng), "llm", prices=prices, of=of, half_width=0.03)
            assert found.cost <= min(found.people_alone, found.fixed_mix)


def test_a_copy_adds_nothing_and_a_second_opinion_does(rng: np.random.Generator) -> None:
    rows = world(rng)
    one, with_copy = plan(rows, "llm"), plan(rows, "llm", "copy")
    assert with_copy.cost == one.cost
    assert len(with_copy.judges) == 1
    assert plan(rows, "llm", "other").cost <= one.cost


def test_a_dear_judge_is_not_bought(rng: np.random.Generator) -> None:
    found = plan(world(rng), "llm", prices={"people": 1.0, "llm": 1.0})
    assert (found.judges, found.judged) == ((), 0)
    assert "none is worth its price" in str(found)


def test_more_people_where_the_judge_errs_more(rng: np.random.Generator) -> None:
    arms = plan(world(rng, pilot=600), "llm", half_width=0.015).arms
    unexplained = dict(zip(arms["kind"], arms["unexplained"], strict=True))
    assert unexplained["k0"] < unexplained["k2"] < unexplained["k1"]
    people = dict(zip(arms["kind"], arms["people"], strict=True))
    assert people["k1"] > people["k0"]


def test_the_rows_are_as_many_as_planned_and_have_no_label_yet(
    rng: np.random.Generator,
) -> None:
    rows = world(rng)
    found = plan(rows, "llm")
    picked = found.rows()
    assert int(picked["people"].sum()) == found.people
    assert int(picked["judged"].sum()) == found.judged
    assert rows["right"][picked.filter("people")["row"]].null_count() == found.people
    is_judged = set(found.arms.filter(pl.col("judged") > 0)["kind"])
    of_people = picked.filter("people").with_columns(
        kind=rows["kind"][picked.filter("people")["row"]]
    )
    assert of_people.filter(pl.col("kind").is_in(is_judged))["judged"].all()


def test_a_judge_that_is_not_bought_does_not_change_what_is_picked(
    rng: np.random.Generator,
) -> None:
    rows = world(rng).with_columns(copy=pl.lit(None, pl.Float64))  # it was never asked
    assert plan(rows, "llm", "copy").rows().equals(plan(rows, "llm").rows())


def test_a_judge_that_has_scored_every_row_is_used_for_nothing_more(
    rng: np.random.Generator,
) -> None:
    right = (rng.random(4_000) < 0.7).astype(float)
    rows = pl.DataFrame(
        {
            "kind": rng.choice(["k0", "k1"], 4_000),
            "llm": np.where(rng.random(4_000) < 0.95, right, 1.0 - right),
            "right": right,
        }
    ).with_columns(right=pl.when(pl.int_range(4_000) < 160).then("right"))
    found = plan(rows, "llm")
    assert (found.judges, found.judged) == (("llm",), 0)
    assert found.cost < 0.5 * found.people_alone
    assert "0 rows to llm" in str(found)


def test_verdicts_may_be_texts(rng: np.random.Generator) -> None:
    rows = world(rng)
    said = rows.with_columns(
        llm=pl.col("llm").cast(pl.Int8).cast(pl.String).replace({"1": "good", "0": "bad"})
    )
    assert plan(said, "llm", passes=["good"]).cost == plan(rows, "llm").cost


def test_what_is_missing_is_named(rng: np.random.Generator) -> None:
    rows = world(rng)
    with pytest.raises(InputError, match="got none of 'people'"):
        plan(rows, "llm", prices={"llm": 1.0})
    with pytest.raises(InputError, match="at least 20 labels"):
        plan(world(rng, pilot=5), "llm")
    with pytest.raises(InputError, match="half_width must be"):
        plan(rows, "llm", half_width=2.0)
    with pytest.raises(UnknownNameError, match="goal"):
        plan(rows, "llm", of="worst")


@pytest.mark.slow
def test_the_promised_width_is_reached(rng: np.random.Generator) -> None:
    errors, halves = [], []
    for _ in range(60):
        n = 4_000
        kind = rng.integers(0, 3, n)
        right = (rng.random(n) < 0.7).astype(float)
        llm = np.where(rng.random(n) < np.array([0.95, 0.7, 0.85])[kind], right, 1.0 - right)
        known = pl.when(pl.int_range(n) < 160)
        rows = pl.DataFrame({"kind": [f"k{k}" for k in kind], "right": right, "llm": llm})
        pilot = rows.with_columns(known.then(name).alias(name) for name in ("right", "llm"))
        picked = plan(pilot, "llm").rows()
        bought = rows.with_columns(
            pl.when(
                (pl.int_range(n) < 160) | pl.int_range(n).is_in(picked.filter(to)["row"].implode())
            )
            .then(name)
            .alias(name)
            for name, to in (("right", "people"), ("llm", "judged"))
        )
        found = aa.estimate(bought, ["kind"], "right", judges=["llm"], target="pool").overall
        errors.append(found.mean - right.mean())
        halves.append(0.5 * (found.upper - found.lower))
    # A half-width of 0.02 at 90%; the deviation of 60 draws has a standard error of 9%.
    assert np.std(errors) < 1.2 * 0.02 / 1.645
    assert np.mean(halves) == pytest.approx(0.02, rel=0.1)
