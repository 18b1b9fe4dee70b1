import json
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa


@pytest.fixture
def pool(rows: Path) -> Path:
    """The rows with a hundred labels; the others have none yet."""
    frame = pl.read_csv(rows).with_row_index()
    known = pl.when(pl.col("index") < 100).then(pl.col("correct"))
    frame.with_columns(known.alias("correct")).write_csv(rows)
    return rows


def test_a_table_is_planned_from_its_labels_so_far(assay, pool: Path) -> None:
    options = ("-a", "sex", "--score", "correct", "--estimator", "beta-independent")
    goal = ("--half-width", 0.04, "--strategy", "random", "--cost-per-label", 2)
    answer = assay("plan", pool, *options, *goal)
    assert answer.code == 0, answer.err
    assert "the overall accuracy to within 4.0%: about" in answer.out
    assert "after the 100 so far, at a cost of" in answer.out
    found = json.loads(assay("plan", pool, *options, *goal, "--json").out)
    assert 0 < found["lower"] < found["labels"] < found["upper"] <= found["pool"] == 300
    part = assay("plan", pool, *options, *goal, "--for", "slice", "--where", "sex=F")
    assert "sex=['F'] to within 4.0%" in part.out


def test_an_assay_is_planned_by_its_spec(assay, store: str) -> None:
    with aa.Assay.open(store) as opened:
        opened.edit({"assay": {"stop": {"half_width": 0.2, "for": "overall"}}})
    service = ("--service", "good")
    answer = assay("plan", store, *service)
    assert answer.code == 0, answer.err
    assert "to within 20.0%" in answer.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rows.csv", "--half-width", 0.05), "must have --attribute"),
        (("rows.csv", "-a", "sex", "--half-width", 0.7), "between 0 and 0.5; got 0.7"),
        (("rows.csv", "-a", "sex"), "must have a half-width"),
        (("rows.csv", "-a", "sex", "--half-width", 0.05, "--for", "all"), "got 'all'"),
        (("rows.csv", "-a", "sex", "--for", "ranking"), "two or more services"),
    ],
)
def test_mistakes_are_named(
    assay, pool: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(pool.parent)
    answer = assay("plan", *arguments)
    assert answer.code == 2
    assert message in answer.err.replace("\n", " ")


def test_options_of_tables_are_refused_for_an_assay(assay, store: str) -> None:
    answer = assay("plan", store, "-a", "sex", "--half-width", 0.1)
    assert answer.code == 2
    assert "Leave out --attribute" in answer.err


def test_referees_of_a_table_are_those_of_python(assay, refereed: Path) -> None:
    options = ("--half-width", 0.02, "--strategy", "random", "--referee", "ibm")
    call = ("plan", refereed, "-a", "sex", "--score", "correct")
    answer = assay(*call, *options, "--y-pred", "own", "--json")
    assert answer.code == 0, answer.err
    direct = aa.plan(
        refereed,
        ["sex"],
        "correct",
        half_width=0.02,
        strategy="random",
        y_pred="own",
        referees=["ibm"],
    )
    assert json.loads(answer.out)["labels"] == direct.labels
    assert "referees must have a prediction" in assay(*call, *options).err


def test_the_referees_of_an_assay_stand_in_its_spec(assay, store: str) -> None:
    answer = assay("plan", store, "--half-width", 0.1, "--referee", "bad", "--y-pred", "good")
    assert answer.code == 2
    assert "Leave out --y-pred, --referee" in answer.err


def test_judges_of_a_table_are_those_of_python(assay, refereed: Path) -> None:
    call = ("plan", refereed, "-a", "sex", "--score", "correct", "--half-width", 0.02)
    answer = assay(*call, "--strategy", "random", "--judge", "ibm", "--json")
    assert answer.code == 0, answer.err
    options = {"half_width": 0.02, "strategy": "random", "judges": ["ibm"]}
    assert (
        json.loads(answer.out)["labels"] == aa.plan(refereed, ["sex"], "correct", **options).labels
    )


def test_the_judges_of_an_assay_stand_in_its_spec(assay, store: str) -> None:
    answer = assay("plan", store, "--half-width", 0.1, "--judge", "bad", "--answer-form")
    assert answer.code == 2
    assert "Leave out --judge, --answer-form" in answer.err


def test_a_history_of_a_table_is_that_of_python(assay, rows: Path) -> None:
    frame = pl.read_csv(rows)
    frame.with_columns(old=pl.Series([0, 1, 1] * frame.height)[: frame.height]).write_csv(rows)
    call = ("plan", rows, "-a", "sex", "--score", "correct", "--half-width", 0.02)
    answer = assay(*call, "--strategy", "random", "--history", "old", "--json")
    assert answer.code == 0, answer.err
    options = {"half_width": 0.02, "strategy": "random", "history": ["old"]}
    assert json.loads(answer.out)["labels"] == aa.plan(rows, ["sex"], "correct", **options).labels
