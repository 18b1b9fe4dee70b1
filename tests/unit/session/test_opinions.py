"""What others say of a service in a session: judges, referees, and rows on which all disagree."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from judged_world import make_world

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.session.opinions import (
    contested_rows,
    judge_report,
    referee_table,
)
from accuracy_assay.storage.memory import MemoryStore

JUDGE = {"name": "llm", "column": "opinion", "services": ["good"]}


@pytest.fixture
def judged(bench: Any) -> aa.Assay:
    """A session whose judge knows nothing, with 30 labels."""
    bench.pool = bench.pool.with_columns(opinion=pl.Series(np.random.default_rng(0).random(60)))
    assay: aa.Assay = bench.create(judge=[JUDGE])
    assay.tell(bench.pool["id"][:30], bench.pool["truth"][:30])
    return assay


def test_the_report_of_a_session_is_that_of_the_table() -> None:
    pool, _ = make_world(0, 300, leniency=4.0, n_rows=600)
    pool = pool.with_columns(id=pl.int_range(600).cast(pl.String), said=pl.lit("yes"))
    spec = {
        "assay": {"estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "length"}, {"name": "topic"}],
        "service": [{"name": "own", "column": "said"}],
        "judge": [{"name": "llm", "column": "score"}],
        "label": {"choices": ["yes", "no"]},
    }
    assay = aa.Assay.create(MemoryStore(), spec, pool=pool)
    ids = pool["id"][:300]
    truth = (np.arange(300) % 3 > 0).astype(float)
    assay.tell(ids, ["yes" if right else "no" for right in truth])
    found = judge_report(assay.session)
    rows = pool[:300].with_columns(right=pl.Series(truth), **{"llm of own": pl.col("score")})
    expected = aa.judge_report(
        rows,
        ["length", "topic"],
        "right",
        judges=["llm of own"],
        pool=pool.with_columns(**{"llm of own": pl.col("score")}),
        estimator="beta-independent",
    )
    assert found is not None
    assert found.arms.columns == expected.arms.columns
    names = ["length", "topic"]
    assert found.arms.sort(names)["bias"].to_numpy() == pytest.approx(
        expected.arms.sort(names)["bias"].to_numpy()
    )


def test_without_a_judge_or_a_label_there_is_no_report(bench: Any, judged: aa.Assay) -> None:
    assert judge_report(judged.session, "bad") is None
    assert judge_report(judged.session, "good") is not None
    empty = bench.create(assay={"name": "empty"}, judge=[JUDGE])
    assert judge_report(empty.session, "good") is None


def test_referees_are_told_by_an_estimator_with_cells(bench: Any) -> None:
    assay = bench.create(assay={"estimator": "anova-gp"})
    assay.tell(bench.pool["id"][:30], bench.pool["truth"][:30])
    found = referee_table(assay.session, "good")
    assert found["stratum"].to_list() == ["bad does not", "bad agrees"]
    assert found["rows"].sum() == 60.0
    assert found["labels"].sum() == 30.0


def test_contested_rows_are_open_and_no_two_services_agree(bench: Any) -> None:
    assay = bench.create()
    assay.tell(bench.pool["id"][:10], bench.pool["truth"][:10])
    found = contested_rows(assay.session)
    expected = bench.pool[10:].filter(pl.col("good") != pl.col("bad")).select("id", "good", "bad")
    assert found.equals(expected)


def test_one_service_has_nobody_to_disagree_with(bench: Any) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good"}])
    assert contested_rows(assay.session).height == 0


def test_answers_in_part_alike_are_not_contested(bench: Any) -> None:
    others = ["five six seven", *["one two four"] * (bench.pool.height - 1)]
    bench.pool = bench.pool.with_columns(good=pl.lit("one two three"), bad=pl.Series(others))
    found = contested_rows(bench.create(label={"agreement": "wer"}).session)
    assert found["id"].to_list() == [bench.pool["id"][0]]


def test_guessed_attributes_have_no_report(guessed: Any) -> None:
    opinion = pl.Series("opinion", np.arange(200.0))
    guessed.pool = guessed.pool.with_columns(opinion[: guessed.pool.height])
    guessed.seed = guessed.seed.with_columns(opinion[: guessed.seed.height])
    judge = {"name": "llm", "column": "opinion", "services": ["ear"]}
    assay = guessed.create(judge=[judge])
    with pytest.raises(InputError, match="attributes that are known for every row"):
        judge_report(assay.session)
