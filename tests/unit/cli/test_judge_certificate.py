"""Certificates on the command line: one is made, demanded, and refused with the reason."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world
from made_logs import inspect_log, inspect_sample, write_eval

import accuracy_assay as aa
from accuracy_assay.errors import InputError

CALL = ("-a", "topic", "-a", "length", "--judge", "llm")
FAST = ("--estimator", "beta-independent")


@pytest.fixture
def table(rng: np.random.Generator, folder: Path) -> Path:
    path = folder / "rows.csv"
    certified_world(rng).drop("truth").write_csv(path)
    (folder / "judge.json").write_text('{"version": "1"}')
    return path


@pytest.fixture
def certificate(assay, table: Path) -> Path:
    path = table.parent / "llm.json"
    made = ("--certificate", path, "--tolerance", "0.05", "--judge-settings", "judge.json")
    out = assay("judges", table, *CALL, "--score", "right", *made)
    assert out.code == 0, out.err
    assert "wrote" in out.err
    return path


def test_the_command_certifies_as_python_does(assay, table: Path) -> None:
    call = ("judges", table, *CALL, "--score", "right", "--tolerance", "0.05")
    said = json.loads(assay(*call, "--json").out)
    direct = aa.certify(table, ["topic", "length"], "right", judge="llm", tolerance=0.05)
    assert [s["difference"] for s in said["slices"]] == [s.difference for s in direct.slices]
    assert "may not decide: topic = law" in assay(*call).out.replace("\n", " ")
    assert "| topic = law | may not |" in assay(*call, "--markdown").out


def test_rows_to_label_are_written(assay, table: Path) -> None:
    call = ("judges", table, *CALL, "--score", "right", "--tolerance", "0.02", "--id", "id")
    assert assay(*call, "--rows-to-label", "next.csv").code == 0
    assert Path("next.csv").read_text().startswith("id,topic,length,llm,settles")


def test_a_check_on_a_judge_alone_needs_its_certificate(assay, table: Path) -> None:
    found = assay("check", table, *CALL, "--min", "0.5", *FAST)
    assert found.code == 2
    assert "must have its certificate" in found.err


def test_a_check_takes_peoples_labels_where_the_judge_may_not_decide(
    assay, table: Path, certificate: Path
) -> None:
    call = ("check", table, *CALL, "--score", "right", "--min", "0.5", *FAST)
    by = ("--judge-certificate", certificate, "--judge-settings", "judge.json")
    found = json.loads(assay(*call, *by, "--json").out)
    assert found["verdict"] == "pass"
    assert "the judge 'llm' decided" in found["missing"]
    surface = aa.judged_surface(
        table,
        ["topic", "length"],
        "right",
        certificate=certificate,
        settings={"version": "1"},
        by_slice=False,
        estimator="beta-independent",
    )
    assert found["checks"][0]["findings"][0]["mean"] == pytest.approx(surface.overall.mean)


def test_an_expired_certificate_is_refused_with_the_reason(
    assay, table: Path, certificate: Path
) -> None:
    call = ("check", table, *CALL, "--score", "right", "--min", "0.5", *FAST)
    call = (*call, "--judge-certificate", certificate)
    assert "nothing says what they are now" in assay(*call).err
    Path("judge.json").write_text('{"version": "2"}')
    later = assay(*call, "--judge-settings", "judge.json")
    assert later.code == 2
    assert "version was '1' and is '2'" in later.err


def test_options_that_contradict_each_other_are_refused(assay, table: Path) -> None:
    call = ("judges", table, *CALL, "--score", "right", "--tolerance", "0.05")
    assert "of one format" in assay(*call, "--json", "--markdown").err
    assert "must be of the bias" in assay(*call, "--picture", "x.png").err
    assert "a certificate must be of one judge" in assay(*call, "--judge", "bot").err
    Path("judge.json").write_text("[1]")
    assert "must be a JSON object" in assay(*call, "--judge-settings", "judge.json").err


def test_a_log_whose_scores_are_a_models_needs_the_certificate_of_that_model(
    assay, folder: Path
) -> None:
    samples = [
        inspect_sample(n, {"model_graded_qa": "CI"[n % 3 == 0]}, metadata={"topic": "ab"[n % 2]})
        for n in range(60)
    ]
    grader = {"name": "model_graded_qa", "options": {"model": "acme/judge"}}
    path = write_eval(folder / "a.eval", inspect_log(samples, scorers=[grader]))
    rows = pl.DataFrame({"topic": ["a", "b"] * 150, "right": [1.0, 1.0, 0.0] * 100})
    rows = rows.with_columns(grade=pl.when(pl.int_range(300) == 7).then(0.0).otherwise("right"))
    found = aa.certify(rows, ["topic"], "right", judge="grade", tolerance=0.1)
    found.save(folder / "c.json")
    call = ("check", path, "-a", "topic", "--min", "0.2", *FAST)
    assert "must have its certificate" in assay(*call).err
    shown = assay("surface", path, "-a", "topic", *FAST, "--out", "graded.surface")
    assert "a model gave all scores" in " ".join(shown.out.split())
    assert "must have its certificate" in assay("check", "graded.surface", "--min", "0.2").err
    with pytest.raises(InputError, match="must have its certificate"):
        aa.check(aa.estimate(path, ["topic"], estimator="beta-independent"), min=0.2)
    passed = assay(*call, "--judge-certificate", "c.json")
    assert passed.code == 0, passed.err
    assert "the judge 'grade' decided 60 rows" in passed.out.replace("\n", " ")


def test_the_report_shows_the_certificate(assay, table: Path, certificate: Path) -> None:
    call = ("surface", table, "-a", "topic", "-a", "length", "--score", "right", *FAST)
    assert assay(*call, "--out", "s.surface").code == 0
    made = assay("report", "s.surface", "--judge-certificate", certificate)
    assert made.code == 0, made.err
    page, found = Path("s.html").read_text(), aa.Certificate.load(certificate)
    assert "Where llm may decide in place of people" in page
    for each in found.slices:
        assert f"<b>{100 * each.difference:+.1f}</b>" in page


def test_the_page_says_what_is_saved_in_money(assay, table: Path) -> None:
    call = ("judges", table, *CALL, "--score", "right", "--tolerance", "0.05")
    prices = ("--price", "people=50", "--price", "llm=1")
    said = assay(*call, *prices, "--report", "llm.html")
    found = aa.certify(table, ["topic", "length"], "right", judge="llm", tolerance=0.05)
    saved = f"{found.saves(50.0, 1.0):,.2f} less than labels of people for every row"
    assert f"costs {saved}" in said.out
    assert saved in Path("llm.html").read_text()


def test_an_assay_shares_its_rows_out_by_price(assay, folder: Path, rng) -> None:
    rows = certified_world(rng)
    rows.with_columns(said=pl.lit("right")).write_parquet("judged.parquet")
    answer = pl.when(pl.col("truth") == 1.0).then(pl.lit("right")).otherwise(pl.lit("wrong"))
    rows.head(300).select("id", label=answer).write_csv("told.csv")
    rows.select("id", "llm").write_csv("verdicts.csv")
    Path("paid_judge.py").write_text(
        "import csv\n"
        "with open('verdicts.csv') as file: said = dict(list(csv.reader(file))[1:])\n"
        "def judge(rows): return [said[row['id']] for row in rows]\n"
    )
    Path("judged.toml").write_text(
        """
        attribute = [{ name = "topic" }]
        service = [{ name = "own", column = "said" }]
        judge = [{ name = "llm", callable = "paid_judge:judge", price = 1 }]
        assay = { name = "judged", budget = 2000, estimator = "beta-independent" }
        pool = { path = "judged.parquet", id = "id" }
        label = { choices = ["right", "wrong"], price = 50 }
        """
    )
    for call in (
        ("init", "judged.assay", "--spec", "judged.toml"),
        ("tell", "judged.assay", "--file", "told.csv"),
        ("run", "judged.assay", "--labelled-only", "--yes", "300"),
    ):
        assert assay(*call).code == 0
    call = ("plan", "judged.assay", "--half-width", "0.02", "--out", "buy.csv")
    planned = json.loads(assay(*call, "--json").out)
    assert planned["cost"] <= min(planned["people_alone"], planned["fixed_mix"])
    bought = pl.read_csv("buy.csv")
    assert int(bought["people"].sum()) == planned["people"]
    asked = json.loads(assay("ask", "judged.assay", "5", "--plan", "buy.csv", "--json").out)
    assert {each["id"] for each in asked} <= set(bought.filter("people")["id"])
    ran = assay("run", "judged.assay", "--plan", "buy.csv", "--yes", str(planned["judged"]))
    assert ran.code == 0, ran.err
    with aa.Assay.open("judged.assay") as found:
        assert found.status().judges[0].judged == 300 + planned["judged"]
