"""Judges: a lenient one is found where it is lenient, an honest one is left in peace."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from judged_world import LENIENT_ON, make_world

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.reports.judge_report import SLICE_COLUMNS
from accuracy_assay.study.judges.report import judge_report
from accuracy_assay.study.read.lacking_pool import PoolWarning

N_DRAWS = 20


def report(seed: int, leniency: float, n_labels: int = 600, **options: Any) -> aa.JudgeReport:
    pool, labelled = make_world(seed, n_labels, leniency=leniency, n_rows=2000)
    options = {"estimator": "beta-independent", **options}
    given: dict[str, Any] = {"pool": pool, "judges": ["score"], **options}
    return judge_report(labelled, ["length", "topic"], "right", **given)


def test_a_lenient_arm_is_found_and_no_other_in_almost_all_draws() -> None:
    n_found = n_alone = 0
    for seed in range(N_DRAWS):
        clear = report(seed, 4.0).arms.filter(pl.col("verdict") != "")
        is_there = [pl.col(name) == value for name, value in LENIENT_ON.items()]
        hit = clear.filter(*is_there, pl.col("verdict") == "lenient").height
        n_found += hit
        n_alone += clear.height == hit
    assert n_found >= N_DRAWS - 2
    assert n_alone >= N_DRAWS - 2


def test_an_honest_judge_is_called_biased_in_few_arms() -> None:
    tables = [report(seed, 0.0).arms for seed in range(N_DRAWS)]
    every = pl.concat(tables)
    assert (every["verdict"] != "").mean() <= 0.05
    leaves_out_zero = (every["lower"] > 0.0) | (every["upper"] < 0.0)
    assert leaves_out_zero.mean() <= 0.12


def test_the_default_estimator_tells_it_in_words() -> None:
    found = report(1, 4.0, estimator="anova-gp")
    assert "lenient on length = long, topic = code: its opinions amount to" in str(found)
    assert "given a right and a wrong answer, it prefers the right one" in str(found)
    (judge,) = found.judges.to_dicts()
    assert judge["judge"] == "score"
    assert judge["labels"] == 600
    assert 0.6 < judge["prefers_right"] < 0.9
    assert judge["outside"] < 0.01
    assert (judge["lenient"], judge["harsh"]) == (1, 0)


def test_tables_hold_what_is_said() -> None:
    found = report(0, 3.0)
    assert found.arms.columns == ["judge", "length", "topic", *SLICE_COLUMNS]
    assert found.values.columns == ["judge", "attribute", "value", *SLICE_COLUMNS]
    assert found.arms["n"].sum() == 600
    assert found.values.filter(attribute="length")["support"].sum() == 2000
    np.testing.assert_allclose(
        found.arms["bias"], found.arms["opinion"] - found.arms["accuracy"], atol=1e-12
    )
    pool, labelled = make_world(0, 600, leniency=3.0, n_rows=2000)
    surface = aa.estimate(
        labelled, ["length", "topic"], "right", pool=pool, estimator="beta-independent"
    )
    arms = found.arms.sort("length", "topic")
    np.testing.assert_allclose(
        arms["accuracy"], surface.to_frame().sort("length", "topic")["mean"]
    )


def test_a_lenient_value_casts_no_shadow_on_other_attributes() -> None:
    pool, labelled = make_world(3, 900, n_rows=3000)
    raised = pl.col("score") + 0.5 * (pl.col("length") == "long")
    tables = [table.with_columns(score=raised) for table in (labelled, pool)]
    given: dict[str, Any] = {"judges": ["score"], "estimator": "beta-independent"}
    found = judge_report(tables[0], ["length", "topic"], "right", pool=tables[1], **given)
    clear = found.values.filter(pl.col("verdict") != "")
    assert clear.select("attribute", "value", "verdict").rows() == [("length", "long", "lenient")]


def test_rows_without_a_label_are_the_pool() -> None:
    pool, labelled = make_world(0, 300)
    parts = [labelled, pool.with_columns(right=pl.lit(None, dtype=pl.Float64))[300:2000]]
    rows = pl.concat(parts)
    given: dict[str, Any] = {"judges": ["score"], "estimator": "beta-independent"}
    found = judge_report(rows, ["length", "topic"], "right", **given)
    assert found.arms["support"].sum() == 2000
    assert found.judges["labels"].to_list() == [300]


def test_a_labelled_arm_without_pool_rows_is_no_place() -> None:
    pool, labelled = make_world(0, 300)
    beside = labelled.with_columns(topic=pl.lit("zoo"))[:30]
    rows = pl.concat([labelled, beside])
    given: dict[str, Any] = {"judges": ["score"], "estimator": "beta-independent"}
    with pytest.warns(PoolWarning, match="lacks 30 of 330"):
        found = judge_report(rows, ["length", "topic"], "right", pool=pool, **given)
    assert "zoo" not in found.arms["topic"]
    assert "zoo" not in found.values["value"]
    assert found.arms["n"].sum() == 300


def test_verdicts_and_several_judges() -> None:
    pool, labelled = make_world(0, 400)
    word = pl.when(pl.col("score") > 0.6).then(pl.lit("good")).otherwise(pl.lit("poor"))
    tables = [
        t.with_columns(word=word, coin=pl.col("score").hash() % 2 == 0) for t in (labelled, pool)
    ]
    found = judge_report(
        tables[0],
        ["length", "topic"],
        "right",
        pool=tables[1],
        judges=["word", "coin"],
        estimator="beta-independent",
    )
    assert found.judges["judge"].to_list() == ["word", "coin"]
    word_sorts, coin_sorts = found.judges["prefers_right"].to_list()
    assert word_sorts > 0.6
    assert abs(coin_sorts - 0.5) < 0.1


def test_where_a_judge_is_blind_it_is_not_to_be_trusted() -> None:
    rng = np.random.default_rng(0)
    right = (rng.random(600) < 0.7).astype(float)
    kind = rng.choice(["a", "b"], 600)
    score = np.where(kind == "a", right, 1.0 - right) + rng.normal(0.0, 0.3, 600)
    score = np.where(kind == "a", score, rng.normal(0.5, 0.3, 600) - 0.2 * right)
    rows = pl.DataFrame({"kind": kind, "score": score, "right": right})
    found = judge_report(rows, ["kind"], "right", judges=["score"], estimator="beta-independent")
    assert any(line.startswith("do not trust it on kind = b") for line in found.remarks("score"))
    assert not any("do not trust it on kind = a" in line for line in found.remarks("score"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judges": []}, "judges must name at least one column"),
        ({"from_label": ["topic"]}, "attributes that are known for every row"),
        ({"judges": ["nobody"]}, "column of a judge"),
    ],
)
def test_what_cannot_be_reported_on_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        report(0, 0.0, 50, **options)


def test_an_attribute_with_the_name_of_a_column_is_refused() -> None:
    _, labelled = make_world(0, 50)
    rows = labelled.rename({"topic": "bias"})
    with pytest.raises(InputError, match=r"columns of a judge's report .*got 'bias'"):
        judge_report(rows, ["bias"], "right", judges=["score"], estimator="beta-independent")
