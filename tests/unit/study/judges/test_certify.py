"""A judge's certificate: who may decide, who may not, and what is refused."""

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world

import accuracy_assay as aa
from accuracy_assay.errors import InputError, UnknownNameError

ATTRIBUTES = ["topic", "length"]


@pytest.fixture
def rows(rng: np.random.Generator) -> pl.DataFrame:
    return certified_world(rng)


def certify(rows: pl.DataFrame, **options: object) -> aa.Certificate:
    return aa.certify(rows, ATTRIBUTES, "right", judge="llm", **{"tolerance": 0.05, **options})


def test_a_lenient_slice_loses_the_right_and_everything_else_keeps_it(rows: pl.DataFrame) -> None:
    found = certify(rows)
    assert [each.slice for each in found.widest_refused] == ["topic = law"]
    assert found.rest is not None
    assert (found.rest.verdict, found.rest.rows) == (
        "may decide",
        rows.filter(pl.col("topic") != "law").height,
    )


def test_a_judge_that_is_right_on_average_is_refused_where_it_is_not(
    rng: np.random.Generator,
) -> None:
    rows = certified_world(rng, leniency=0.0)
    swapped = {"art": 1.0, "code": 0.0}
    for topic, said in swapped.items():
        there = (pl.col("topic") == topic) & (pl.Series(rng.random(rows.height)) < 0.6)
        rows = rows.with_columns(llm=pl.when(there).then(said).otherwise(pl.col("llm")))
    found = certify(rows)
    assert {each.slice for each in found.widest_refused} == {"topic = art", "topic = code"}


def test_a_slice_that_differs_by_the_rows_of_another_keeps_its_own(rows: pl.DataFrame) -> None:
    found = certify(rows, tolerance=0.04)
    blamed = {each.slice: each.because for each in found.slices if each.because}
    assert blamed
    assert set(blamed) <= {"length = long", "length = short"}
    assert set(blamed.values()) == {"topic = law"}
    may = found.decides(rows, rows["llm"], by_slice=False)
    assert may[(rows["topic"] != "law").to_numpy()].all()


def test_an_honest_judge_loses_no_slice(rng: np.random.Generator) -> None:
    assert certify(certified_world(rng, leniency=0.0)).refused == ()


def test_services_have_verdicts_of_their_own(rows: pl.DataFrame) -> None:
    flipped = pl.when(pl.col("bot") == "acme").then(1.0).otherwise(pl.col("llm"))
    found = certify(rows.with_columns(llm=flipped), service="bot")
    table = found.to_frame()
    of_acme = table.filter(service="acme", slice="everything")
    assert of_acme["verdict"].to_list() == ["may not"]
    assert found.services == ("acme", "bolt")


def test_level_and_decisions_are_two_certificates(rng: np.random.Generator) -> None:
    rows = certified_world(rng, leniency=0.0)
    # As many passes as people give, but half of them other ones.
    other = rows.with_columns(llm=pl.Series((rng.random(rows.height) < 0.7).astype(float)))
    level, decisions = (certify(other, statement=s) for s in ("level", "decisions"))
    assert (level.verdict, decisions.verdict) == ("may decide", "may not")
    assert decisions.whole.difference == pytest.approx(0.42, abs=0.05)
    assert "figure" in level.remarks()[0]
    assert "passes and fails" in decisions.remarks()[0]


def test_what_no_label_has_seen_is_refused_by_name(rows: pl.DataFrame) -> None:
    scored = rows.with_columns(
        llm=pl.when(pl.col("right").is_null()).then(0.5 * pl.col("llm") + 0.5).otherwise("llm"),
        right=pl.when(pl.col("topic") != "art").then(pl.col("right")),
    ).with_columns(llm=pl.col("llm") * 0.8)
    labelled = scored.filter(pl.col("right").is_not_null())
    low = labelled["llm"].max()
    beyond = scored.with_columns(
        llm=pl.when(pl.int_range(pl.len()) > 1_900).then(0.95).otherwise(pl.col("llm"))
    )
    found = certify(beyond)
    assert found.unlabelled == ("topic = art",)
    assert found.support.high == low
    assert found.support.outside == pytest.approx(99 / 2_000)
    said = "\n".join(found.remarks())
    assert "refused, since no label has them: topic = art" in said
    assert "beyond the scores that labels have seen" in said
    art = next(each for each in found.slices if each.slice == "topic = art")
    assert (art.verdict, art.labels) == ("not enough labels", 0)
    assert set(found.rows_to_label(10)["topic"]) == {"art"}


def test_rows_to_label_have_no_label_and_repeat_none(rows: pl.DataFrame) -> None:
    found = certify(rows, tolerance=0.02, id="id").rows_to_label(40)
    assert found.height == 40
    assert found["id"].n_unique() == 40
    labelled = rows.filter(pl.col("right").is_not_null())["id"]
    assert not found["id"].is_in(labelled.implode()).any()


def test_a_pool_of_its_own_needs_ids_to_tell_what_to_label(rows: pl.DataFrame) -> None:
    labelled = rows.filter(pl.col("right").is_not_null())
    found = certify(labelled, pool=rows.drop("right"), tolerance=0.02)
    with pytest.raises(InputError, match="got a pool without an id"):
        found.rows_to_label(5)
    with_ids = certify(labelled, pool=rows.drop("right"), tolerance=0.02, id="id")
    assert with_ids.rows_to_label(5).height == 5
    assert with_ids.whole.difference == pytest.approx(found.whole.difference)


def test_the_same_rows_as_pool_or_in_place_give_one_certificate(rows: pl.DataFrame) -> None:
    labelled = rows.filter(pl.col("right").is_not_null())
    in_place, beside = certify(rows), certify(labelled, pool=rows.drop("right"))
    assert in_place.slices == beside.slices


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 5.0}, "Write 5 points as 0.05"),
        ({"confidence": 0.4}, "confidence must be between"),
        ({"threshold": 0.0}, "threshold must be"),
    ],
)
def test_arguments_out_of_range_are_named(
    rows: pl.DataFrame, options: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        certify(rows, **options)


def test_an_unknown_statement_is_named(rows: pl.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match="statement"):
        certify(rows, statement="kappa")


def test_too_few_labels_and_missing_labels_are_refused(rows: pl.DataFrame) -> None:
    with pytest.raises(InputError, match="at least 10 blind labels of people; got 3"):
        certify(rows.with_columns(right=pl.when(pl.int_range(pl.len()) < 3).then(pl.col("right"))))
    with pytest.raises(InputError, match="must have labels of people"):
        aa.certify(rows, ATTRIBUTES, judge="llm")


def test_tables_come_back_as_they_went_in(rows: pl.DataFrame) -> None:
    assert type(certify(rows.to_pandas()).to_frame()).__module__.startswith("pandas")


def test_the_labels_that_it_saves_are_those_that_nobody_gave(rows: pl.DataFrame) -> None:
    found = certify(rows)
    not_law = rows.filter(pl.col("topic") != "law")
    assert found.decided == not_law.height
    assert found.labels_saved == not_law["right"].null_count()


def test_decisions_compare_what_is_passed(rows: pl.DataFrame) -> None:
    # 0.3 fails and 0.7 passes, so that decisions are the same, and the level is another.
    graded = rows.with_columns(llm=0.4 * pl.col("llm") + 0.3)
    one, other = (certify(table, statement="decisions") for table in (rows, graded))
    assert [s.difference for s in one.slices] == [s.difference for s in other.slices]
    assert one.whole.judge == other.whole.judge == pytest.approx(rows["llm"].mean())
    assert all(s.lower >= 0.0 for s in one.slices)


def test_a_certificate_without_settings_says_that_it_does_not_expire(rows: pl.DataFrame) -> None:
    said = "does not expire when the judge changes"
    assert said in str(certify(rows))
    assert said not in str(certify(rows, settings={"version": "1"}))


def test_a_judge_whose_decisions_differ_everywhere_alike_keeps_the_right(
    rng: np.random.Generator,
) -> None:
    slices = refused = 0
    for _ in range(10):  # a tenth of the verdicts is drawn anew: 4.2% of them differ
        rows = certified_world(rng, leniency=0.0)
        found = certify(rows, statement="decisions", tolerance=0.05)
        slices += sum(not each.name for each in found.slices)
        refused += len(found.refused)
    assert refused <= 0.05 * slices
