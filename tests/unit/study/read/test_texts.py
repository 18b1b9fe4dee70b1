"""A text attribute stands wherever an attribute may stand."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from made_texts import SUBJECTS, make_texts

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError
from accuracy_assay.study.read.texts import derive_texts, derive_values

TEXTS, ABOUT = make_texts(240)
TOPIC = TextAttribute("said", "topic", topics=3)
MAIN = TextAttribute("said", "main-topic", "about", topics=3)
METHOD: dict[str, Any] = {"estimator": "beta-independent"}


def make_rows() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rate = np.where(np.array(ABOUT) == "sea", 0.2, 0.9)
    return pl.DataFrame(
        {
            "said": TEXTS,
            "sex": rng.choice(["f", "m"], TEXTS.len()),
            "right": (rng.random(TEXTS.len()) < rate).astype(float),
            "wrong": (rng.random(TEXTS.len()) < 0.1).astype(float),
            "judge": rng.random(TEXTS.len()),
        }
    )


ROWS = make_rows()


def test_without_a_text_attribute_nothing_is_read() -> None:
    columns = Columns(("sex",))
    made = derive_texts(columns, "no_such_file.csv", "nor_this.csv")
    assert made == (columns, "no_such_file.csv", "nor_this.csv")


def test_a_surface_over_main_topics_is_that_of_a_column() -> None:
    by_text = aa.estimate(ROWS, ["sex", MAIN], "right", **METHOD)
    added = aa.add_text_attributes(ROWS, "said", [MAIN])
    by_column = aa.estimate(added, ["sex", "about"], "right", **METHOD)
    assert by_text.to_frame().equals(by_column.to_frame())
    worst = by_text.marginal("about").sort("mean").row(0, named=True)
    assert set(worst["about"].split("/")) < set(SUBJECTS["sea"])


def test_the_pool_says_what_topics_there_are() -> None:
    few = ROWS[:12]
    found = aa.estimate(few, [MAIN], "right", pool=ROWS, **METHOD)
    whole = aa.estimate(ROWS, [MAIN], "right", **METHOD)
    assert found.space == whole.space


def test_topics_are_evidence_that_gold_in_the_rows_calibrates() -> None:
    values = [
        c.removeprefix("p_topic__") for c in derive_texts(Columns((TOPIC,)), ROWS).rows.columns[5:]
    ]
    gold = derive_texts(Columns((MAIN,)), ROWS).rows["about"].alias("topic")
    known = ROWS.with_columns(gold)
    found = aa.estimate(known, [TOPIC], "right", calibration="temperature", **METHOD)
    assert sorted(map(str, found.space.attribute("topic").values)) == sorted(values)


def test_without_gold_the_most_probable_topic_is_taken() -> None:
    soft = aa.estimate(ROWS, [TOPIC], "right", calibration="raw", **METHOD)
    hard = aa.estimate(ROWS, [MAIN], "right", **METHOD)
    np.testing.assert_allclose(
        soft.marginal("topic").sort("topic")["mean"], hard.marginal("about").sort("about")["mean"]
    )


def test_a_tagger_is_calibrated_like_any_predictor() -> None:
    def subject(texts: list[str]) -> dict[str, list[float]]:
        is_sea = [0.7 if "ship" in text or "wave" in text else 0.4 for text in texts]
        return {"sea": is_sea, "land": [1.0 - p for p in is_sea]}

    gold = ["sea" if about == "sea" else "land" for about in ABOUT]
    known = ROWS.with_columns(pl.Series("subject", gold))
    tagger = TextAttribute("said", subject)
    with_gold = aa.estimate(known, [tagger], "right", calibration="temperature", **METHOD)
    assert with_gold.at(subject="sea").mean < 0.4 < 0.8 < with_gold.at(subject="land").mean


@pytest.mark.parametrize(
    "call",
    [
        lambda attributes: aa.simulate(
            ROWS, attributes, "right", seed_size=20, budget=10, strategy="random", **METHOD
        ),
        lambda attributes: aa.plan(
            ROWS, attributes, "right", half_width=0.1, strategy="random", **METHOD
        ),
        lambda attributes: aa.compare(ROWS, attributes, scores=["right", "wrong"], **METHOD),
        lambda attributes: aa.judge_report(ROWS, attributes, "right", judges=["judge"], **METHOD),
    ],
    ids=["simulate", "plan", "compare", "judge_report"],
)
def test_other_questions_take_known_ones_and_name_guesses(call: Any) -> None:
    call([MAIN])
    with pytest.raises(InputError, match="topic"):
        call([TOPIC])


def test_a_guess_is_refused_where_values_must_be_known() -> None:
    with pytest.raises(InputError, match="'topic' must be known for every row here"):
        derive_values(Columns((TOPIC,)), ROWS)


def test_a_missing_text_is_a_missing_value() -> None:
    rows = pl.concat([ROWS, ROWS[:1].with_columns(said=pl.lit(None, dtype=pl.String))])
    with pytest.raises(InputError, match="'about' must have a value in every row"):
        aa.estimate(rows, [MAIN], "right", **METHOD)


def test_an_attribute_that_never_varies_is_named() -> None:
    with pytest.raises(InputError, match="'code' must have at least two values"):
        aa.estimate(ROWS, [TextAttribute("said", "code")], "right", **METHOD)
