"""Judges of a session beside people: certificates, and which rows go to whom by price."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.study.judges.judged_rows import NOT_BLIND

N_LABELS = 500
PASSED = pl.when(pl.col("truth") == 1.0).then(pl.lit("right")).otherwise(pl.lit("wrong"))
SPEC: dict[str, Any] = {
    "assay": {"estimator": "beta-independent", "strategy": "random", "budget": 5_000},
    "attribute": [{"name": "topic"}, {"name": "length"}],
    "service": [{"name": "own", "column": "said"}],
    "judge": [{"name": "llm", "column": "llm"}],
    "label": {"choices": ["right", "wrong"], "price": 50.0},
}


@pytest.fixture
def rows(rng: np.random.Generator) -> pl.DataFrame:
    return certified_world(rng, labels=N_LABELS).with_columns(said=pl.lit("right"))


def session(rows: pl.DataFrame, **others: Any) -> aa.Assay:
    assay = aa.Assay.create(MemoryStore(), {**SPEC, **others}, pool=rows.drop("truth", "right"))
    told = rows.head(N_LABELS)
    assay.tell(told["id"], told.select(PASSED).to_series(), annotator="ann")
    return assay


@pytest.fixture
def asked_judge(rows: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A judge that must be asked, at a price, and what it would say."""
    rows.select("id", "llm").write_csv(tmp_path / "verdicts.csv")
    (tmp_path / "priced_judge.py").write_text(
        "import csv, pathlib\n"
        "with pathlib.Path(__file__).with_name('verdicts.csv').open() as file:\n"
        "    said = dict(list(csv.reader(file))[1:])\n"
        "def judge(rows): return [said[row['id']] for row in rows]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return {"judge": [{"name": "llm", "callable": "priced_judge:judge", "price": 1.0}]}


def test_the_certificate_of_a_session_is_that_of_its_table(rows: pl.DataFrame) -> None:
    found = session(rows).certify(tolerance=0.05)
    table = aa.certify(rows, ["topic", "length"], "right", judge="llm", tolerance=0.05)
    assert [(s.place, s.difference) for s in found.slices] == [
        (s.place, pytest.approx(s.difference)) for s in table.slices
    ]
    assert (found.judge, found.services, found.is_blind) == ("llm", ("own",), True)


def test_it_can_be_demanded_of_a_table_of_the_same_service(rows: pl.DataFrame) -> None:
    found = session(rows).certify(tolerance=0.05)
    call = {"certificate": found, "by_slice": False, "estimator": "beta-independent"}
    surface = aa.judged_surface(rows, ["topic"], "right", services=["own"], **call)
    assert surface.judge_share.decided > 0
    with pytest.raises(InputError, match="about answers of own, not of other"):
        aa.judged_surface(rows.with_columns(service=pl.lit("other")), ["topic"], "right", **call)


def test_rows_that_belong_together_widen_it(rows: pl.DataFrame) -> None:
    four = rows[np.repeat(np.arange(rows.height), 4)].with_columns(
        id=pl.int_range(4 * rows.height).cast(pl.String),
        speaker=pl.int_range(4 * rows.height) // 4,
    )
    alone, together = (
        session(four, pool={"cluster": cluster}).certify(tolerance=0.05).whole
        for cluster in (None, "speaker")
    )
    width = (together.upper - together.lower) / (alone.upper - alone.lower)
    assert 1.5 < width < 2.5


def test_labels_are_not_blind_where_the_verdict_was_shown(rows: pl.DataFrame) -> None:
    shown = session(rows, label={**SPEC["label"], "show": {"text": "llm"}})
    with pytest.raises(InputError, match="a certificate must have blind labels"):
        shown.certify()


def test_labels_are_as_blind_as_they_were_when_they_were_given(rows: pl.DataFrame) -> None:
    shown = {**SPEC["label"], "show": {"text": "llm"}}
    blind = session(rows)
    expected = blind.certify().to_frame()
    blind.edit({"label": shown})
    assert blind.certify().to_frame().equals(expected)
    more = rows[N_LABELS : N_LABELS + 100]
    blind.tell(more["id"], more.select(PASSED).to_series(), annotator="ann")
    found = blind.certify()
    assert (found.labels, found.left_out[NOT_BLIND]) == (N_LABELS, 100)
    table = blind.judged_rows()
    counts = table.group_by("blind").len().sort("blind").rows()
    assert counts == [(None, rows.height - N_LABELS - 100), (False, 100), (True, N_LABELS)]
    of_table = aa.certify(table, ["topic", "length"], "people", judge="llm", blind="blind")
    assert of_table.to_frame().equals(found.to_frame())
    seen = session(rows, label=shown)
    seen.edit({"label": {"show": {"text": "topic"}}})
    with pytest.raises(InputError, match="a certificate must have blind labels"):
        seen.certify()


def test_who_was_shown_a_verdict_before_it_was_hidden_is_not_blind(rows: pl.DataFrame) -> None:
    assay = session(rows, label={**SPEC["label"], "show": {"text": "topic"}})
    batch = assay.ask(2, annotator="bob")
    assay.edit({"label": {"show": {"text": "llm"}}})
    assay.edit({"label": {"show": {"text": "topic"}}})
    assay.tell(batch["id"], ["right", "wrong"], annotator="bob")
    assert assay.certify().left_out[NOT_BLIND] == 2


def test_one_of_several_judges_is_named(rows: pl.DataFrame) -> None:
    judges = [{"name": "llm", "column": "llm"}, {"name": "gpt", "column": "llm"}]
    assay = session(rows, judge=judges)
    with pytest.raises(InputError, match="of one judge of the service; got llm, gpt"):
        assay.certify()
    assert assay.certify("gpt").judge == "gpt"


def test_columns_of_a_session_are_not_attributes(rows: pl.DataFrame) -> None:
    named = rows.rename({"length": "people"})
    assay = session(named, attribute=[{"name": "topic"}, {"name": "people"}])
    with pytest.raises(InputError, match="attributes must not be called"):
        assay.certify()


def test_what_the_plan_gives_to_people_and_judges_is_asked_of_them(
    rows: pl.DataFrame, asked_judge: Any
) -> None:
    assay = session(rows, **asked_judge)
    with pytest.raises(InputError, match="a judge who has judged labelled rows"):
        assay.plan_by_price(0.02)
    assert assay.judge(labelled_only=True) == N_LABELS
    plan = assay.plan_by_price(0.02)
    assert (plan.cost, plan.judges) == (50.0 * plan.people + plan.judged, ("llm",))
    assert plan.cost <= min(plan.people_alone, plan.fixed_mix)
    picked = plan.rows()
    of_people = picked.filter("people")["id"].to_list()
    batch = assay.ask(5, annotator="ann", among=of_people)
    assert set(batch["id"]) <= set(of_people)
    assert not assay.labels()["at_random"].any()
    assert assay.judge(among=picked.filter("judged")["id"]) == plan.judged

    told = rows.filter(pl.col("id").is_in(of_people))
    assay.tell(told["id"], told.select(PASSED).to_series(), annotator="ann")
    assert assay.ask(5, annotator="bob", among=of_people).height == 0
    bought = assay.judged_rows()
    assert bought["people"].count() == N_LABELS + plan.people
    assert bought["llm"].count() == N_LABELS + plan.judged
    found = aa.estimate(
        bought,
        ["topic", "length"],
        "people",
        judges=["llm"],
        target="pool",
        estimator="beta-independent",
    ).overall
    assert found.lower <= rows["truth"].mean() <= found.upper


def test_a_plan_takes_the_prices_that_are_given(rows: pl.DataFrame, asked_judge: Any) -> None:
    assay = session(rows, **asked_judge)
    assay.judge(labelled_only=True)
    dear = assay.plan_by_price(0.02, prices={"llm": 100.0})
    assert (dear.judges, dear.judged) == ((), 0)
