"""Labelled rows and columns of services: what may be given, and what it is taken for."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.compare.comparison import Comparison

CHEAP: dict[str, Any] = {"estimator": "beta-independent"}


def make_pool(n: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], n)
    other = np.where(truth == "cat", "dog", "cat")
    said = {
        name: np.where(rng.random(n) < accuracy, truth, other)
        for name, accuracy in {"good": 0.9, "poor": 0.6}.items()
    }
    return pl.DataFrame({"sex": rng.choice(["F", "M"], n), "truth": truth, **said})


POOL = make_pool()
LABELLED = POOL[:60]


def by_answers(**options: Any) -> Comparison:
    given = {"services": ["good", "poor"], "y_true": "truth", "pool": POOL.drop("truth")}
    return aa.compare(LABELLED, ["sex"], **CHEAP | given | options)


def test_services_are_called_by_their_columns_or_by_their_names() -> None:
    assert by_answers().names == ("good", "poor")
    named = by_answers(services={"acme": "good", "bell": "poor"})
    assert named.names == ("acme", "bell")
    assert named.difference("acme", "bell") == by_answers().difference("good", "poor")


def test_rows_without_a_label_say_how_common_each_arm_is() -> None:
    is_labelled = pl.int_range(pl.len()) < 60
    rows = POOL.with_columns(truth=pl.when(is_labelled).then("truth"))
    given = {"services": ["good", "poor"], "y_true": "truth"}
    found = aa.compare(rows, ["sex"], **given, **CHEAP)
    like = by_answers(target="population")
    assert found.difference("good", "poor") == like.difference("good", "poor")


def test_a_row_must_score_every_service_to_count() -> None:
    scored = LABELLED.with_columns(
        good=pl.Series([1.0] * 59 + [None]), poor=pl.Series([None] + [0.0] * 59)
    )
    found = aa.compare(scored, ["sex"], scores=["good", "poor"], **CHEAP)
    assert found[0].estimate.n == 58.0


def test_scores_say_the_same_as_answers() -> None:
    scores = {s: (pl.col(s) == pl.col("truth")).cast(pl.Int64) for s in ("good", "poor")}
    rows = LABELLED.with_columns(**scores)
    pool = POOL.select("sex")
    found = aa.compare(rows, ["sex"], scores=["good", "poor"], pool=pool, **CHEAP)
    sure, unsure = (c.difference("good", "poor") for c in (by_answers(), found))
    assert unsure.mean == pytest.approx(sure.mean)
    assert unsure.sd == pytest.approx(sure.sd, rel=0.2)


def test_a_pool_that_is_labelled_has_its_exact_difference() -> None:
    found = by_answers(pool=LABELLED.drop("truth"), estimator="anova-gp")
    gold = {s: float((LABELLED[s] == LABELLED["truth"]).mean()) for s in ("good", "poor")}
    assert found.difference("good", "poor").mean == pytest.approx(gold["good"] - gold["poor"])
    assert found.difference("good", "poor").sd == pytest.approx(0.0, abs=1e-6)


def test_two_versions_of_a_service_differ_where_they_changed() -> None:
    changed = POOL.with_columns(
        newer=pl.when(pl.col("sex") == "F").then("truth").otherwise("good")
    )
    found = aa.compare(
        changed[:60],
        ["sex"],
        services=["good", "newer"],
        y_true="truth",
        pool=changed.drop("truth"),
        **CHEAP,
    ).better("newer", "good")
    women, men = found.sort("sex").iter_rows(named=True)
    assert women["difference"] > 0.0
    assert abs(men["difference"]) < 0.001
    assert men["upper"] - men["lower"] < 0.02 * (women["upper"] - women["lower"])


def test_another_agreement_is_followed() -> None:
    found = by_answers(
        agreement=lambda truths, said: [
            0.5 + 0.5 * (t == s) for t, s in zip(truths, said, strict=True)
        ]
    )
    assert found.difference("good", "poor").mean == pytest.approx(
        0.5 * by_answers().difference("good", "poor").mean, abs=0.1
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"services": None, "y_true": None}, "services= and y_true=, or by scores= alone"),
        ({"y_true": None}, "services= and y_true=, or by scores= alone"),
        ({"scores": ["good", "poor"]}, "services= and y_true=, or by scores= alone"),
        ({"services": "good"}, "list of columns; got the text 'good'"),
        ({"services": ["good"]}, r"two or more different columns; got \['good'\]"),
        ({"services": ["good", "good"]}, "two or more different columns"),
        ({"services": ["good", "sex"]}, "got 'sex', which is an attribute"),
        ({"services": ["good", "truth"]}, "got 'truth', which is the truth"),
        ({"services": ["good", "bad"]}, "bad"),
        ({"cluster": "good"}, "got 'good'"),
        ({"target": "moon"}, "target must be one of"),
        ({"pool": POOL.select("sex", "good")}, "poor"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        by_answers(**options)


def test_a_table_without_any_label_is_refused() -> None:
    rows = POOL.with_columns(truth=pl.lit(None, dtype=pl.String))
    with pytest.raises(InputError, match=r"\['truth'\] must all have a value in some row"):
        aa.compare(rows, ["sex"], services=["good", "poor"], y_true="truth", **CHEAP)


@pytest.mark.parametrize("given", [{"weight": "truth"}, {"evidence": {"sex": "p__*"}}])
def test_what_a_comparison_cannot_take_into_account_is_refused(given: dict[str, Any]) -> None:
    columns = aa.Columns(("sex",), y_true="truth", **given)
    with pytest.raises(InputError, match="must be left out of a comparison"):
        aa.compare(LABELLED, columns, services=["good", "poor"], **CHEAP)
