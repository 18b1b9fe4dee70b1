"""A check on a judge's scores: by its certificate, and with people's labels elsewhere."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.study.gate.by_judge import DECIDED, decided_rows

ATTRIBUTES = ("topic", "length")
FAST = {"estimator": "beta-independent"}


@pytest.fixture
def rows(rng: np.random.Generator) -> pl.DataFrame:
    return certified_world(rng)


@pytest.fixture
def found(rows: pl.DataFrame) -> aa.Certificate:
    return aa.certify(rows, ATTRIBUTES, "right", judge="llm", tolerance=0.05)


def test_people_decide_where_they_labelled_and_the_judge_where_it_may(
    rows: pl.DataFrame, found: aa.Certificate
) -> None:
    decided = decided_rows(rows, Columns(ATTRIBUTES, "right"), found, by_slice=False)
    score, is_law = decided.rows[DECIDED], rows["topic"] == "law"
    is_known = rows["right"].is_not_null()
    assert score.filter(is_known).to_list() == rows["right"].drop_nulls().to_list()
    assert score.filter(is_law & ~is_known).null_count() == (is_law & ~is_known).sum()
    assert score.filter(~is_law & ~is_known).equals(
        rows["llm"].filter(~is_law & ~is_known), check_names=False
    )
    share = decided.share
    assert share.decided + share.people + share.neither == rows.height


def test_a_refused_slice_without_labels_of_people_is_named(
    rows: pl.DataFrame, found: aa.Certificate
) -> None:
    with pytest.raises(InputError, match="got none in topic = law"):
        aa.judged_surface(rows.drop("right"), ATTRIBUTES, certificate=found, **FAST)
    fine = rows.filter(pl.col("topic") != "law").drop("right")
    assert aa.judged_surface(fine, ATTRIBUTES, certificate=found, **FAST).judge_share is not None


def test_what_the_judge_may_be_off_by_neither_passes_nor_fails(
    rows: pl.DataFrame, found: aa.Certificate
) -> None:
    surface = aa.judged_surface(
        rows, ATTRIBUTES, "right", certificate=found, by_slice=False, **FAST
    )
    at = surface.overall.mean
    near = aa.check(surface, min=at - 0.04)
    assert near.verdict == "not enough labels"
    assert "what the judge may be off by" in near.checks[0].says
    assert aa.check(surface, min=at - 0.1).passed
    assert aa.check(surface, min=at + 0.1).verdict == "fail"
    assert "the judge 'llm' decided" in near.why


def test_a_file_is_as_good_as_the_certificate(
    rows: pl.DataFrame, found: aa.Certificate, tmp_path: Path
) -> None:
    found.save(tmp_path / "c.json")
    means = [
        aa.judged_surface(rows, ATTRIBUTES, "right", certificate=each, **FAST).overall.mean
        for each in (found, tmp_path / "c.json")
    ]
    assert means[0] == means[1]


def test_another_judge_is_refused(rows: pl.DataFrame, found: aa.Certificate) -> None:
    other = rows.rename({"llm": "gpt"})
    with pytest.raises(InputError, match="it is about the judge 'llm', not 'gpt'"):
        aa.judged_surface(other, ATTRIBUTES, "right", judges=["gpt"], certificate=found)


def test_a_certificate_of_decisions_compares_passes(rows: pl.DataFrame) -> None:
    found = aa.certify(
        rows, ATTRIBUTES, "right", judge="llm", tolerance=0.2, statement="decisions"
    )
    graded = rows.with_columns(llm=pl.col("llm") * 0.4 + 0.3)  # 0.3 fails and 0.7 passes
    again = aa.certify(
        graded, ATTRIBUTES, "right", judge="llm", tolerance=0.2, statement="decisions"
    )
    both = [
        decided_rows(table, Columns(ATTRIBUTES, "right"), each, by_slice=False).rows[DECIDED]
        for table, each in ((rows, found), (graded, again))
    ]
    assert both[0].equals(both[1])
    assert set(both[0].drop_nulls()) == {0.0, 1.0}


def test_the_surface_of_the_decided_rows_is_right_where_the_judge_is_lenient(
    rows: pl.DataFrame, found: aa.Certificate
) -> None:
    surface = aa.judged_surface(rows, ["topic"], "right", certificate=found, **FAST)
    truth = rows.filter(topic="law")["truth"].mean()
    assert surface.at(topic="law").lower <= truth <= surface.at(topic="law").upper


def test_scores_that_no_label_has_seen_are_counted(
    rows: pl.DataFrame, found: aa.Certificate
) -> None:
    seen = aa.certify(
        rows.with_columns(llm=0.8 * pl.col("llm") + 0.1),
        ATTRIBUTES,
        "right",
        judge="llm",
        tolerance=0.3,
    )
    beyond = (pl.col("topic") == "art") & pl.col("right").is_null()
    new = rows.with_columns(llm=pl.when(beyond).then(1.0).otherwise(0.8 * pl.col("llm") + 0.1))
    share = decided_rows(new, Columns(ATTRIBUTES, "right"), seen, by_slice=False).share
    assert share.beyond == rows.filter(beyond).height
    assert f"{share.beyond:,} of them beyond the scores that labels have seen" in str(share)


def test_a_slice_that_is_not_certified_neither_passes_nor_fails_by_the_judge(
    rng: np.random.Generator,
) -> None:
    rows = certified_world(rng, n=4_000, labels=2_000)
    seen = aa.certify(rows, ATTRIBUTES, "right", judge="llm", tolerance=0.1)
    surface = aa.judged_surface(rows, ATTRIBUTES, "right", certificate=seen, **FAST)
    art = {"topic": "art"}
    assert art in [each.where for each in seen.certified]
    assert aa.check(surface, min=0.4, where=art).passed
    share = surface.judge_share
    assert share is not None
    without = replace(share, certified=[w for w in share.certified if w != art])
    unsure = surface.with_details(**without.details)
    found = aa.check(unsure, min=0.4, where=art)
    assert found.verdict == "not enough labels"
    assert "what the judge may be off by" in found.checks[0].says
    # People alone decided about law, and everything is known as a whole.
    assert aa.check(unsure, min=0.4, where={"topic": "law"}).passed
    assert aa.check(unsure, min=0.4).passed
