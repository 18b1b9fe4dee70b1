import json
from pathlib import Path

import polars as pl
import pytest


@pytest.fixture
def worse(assay, rows: Path, tmp_path: Path) -> Path:
    """The surface of a service that is always wrong."""
    table, path = tmp_path / "worse.csv", tmp_path / "worse.surface"
    pl.read_csv(rows).with_columns(pl.lit(0).alias("correct")).write_csv(table)
    answer = assay(
        *("surface", table, "-a", "sex", "-a", "age:30,60", "--score", "correct"),
        *("--estimator", "beta-independent", "--out", path),
    )
    assert answer.code == 0, answer.err
    return path


def test_the_best_comes_first(assay, saved: Path, worse: Path) -> None:
    found = json.loads(assay("compare", worse, saved, "--json").out)
    places = found["places"]
    assert [place["name"] for place in places] == [str(saved), str(worse)]
    assert places[0]["behind"] == 0.0
    assert places[1]["behind_lower"] > 0.0
    assert found["paired"] is False
    assert [rank["service"] for rank in found["ranks"]] == [str(saved), str(worse)]


def test_people_see_how_far_the_others_are_behind(assay, saved: Path, worse: Path) -> None:
    shown = assay("compare", worse, saved, "--where", "sex=F", "--where", "age=70").out
    best, other = (line for line in shown.splitlines() if ".surface" in line)
    assert "worse.surface" in other
    assert " to " in other.split("│")[-3]
    assert best.split("│")[-3].strip() == ""
    assert "as if the surfaces had separate labels" in shown


def test_markdown_names_the_best_first(assay, saved: Path, worse: Path) -> None:
    shown = assay("compare", worse, saved, "--markdown", "--per-arm")
    lines = shown.out.splitlines()
    assert shown.code == 0
    assert lines[0] == f"### {saved.name}: the best of 2 with a probability of 100%"
    rows = [line for line in lines if line.startswith("| ") and ".surface |" in line]
    assert rows[0].startswith(f"| {saved.name} |")
    assert rows[1].startswith(f"| {worse.name} |")
    assert any(line.startswith("| sex, age | best |") for line in lines)


def test_one_surface_is_too_few(assay, saved: Path) -> None:
    answer = assay("compare", saved)
    assert answer.code == 2
    assert "two or more" in answer.err


def test_other_attributes_are_refused(assay, saved: Path, rows: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.surface"
    made = ("surface", rows, "-a", "sex", "--score", "correct", "--estimator", "beta-independent")
    assert assay(*made, "--out", other).code == 0
    answer = assay("compare", saved, other)
    assert answer.code == 2
    assert "['sex', 'age']" in answer.err
    assert "['sex']" in answer.err


@pytest.fixture
def pair(assay, folder: Path) -> str:
    """An assay of two services with prices, and all of its labels."""
    pool = pl.read_parquet(folder / "pool.parquet")
    cats = pl.lit("cat").alias("cats_pred")
    pool.with_columns(cats).write_parquet(folder / "pool.parquet")
    assay("init", "--from", "pool.parquet")
    spec = folder / "assay.toml"
    text = spec.read_text().replace("anova-gp", "beta-independent")
    text = text.replace("variance-reduction", "random")
    spec.write_text(text)
    assert assay("init", "my.assay", "--spec", "assay.toml").code == 0
    assert assay("tell", "my.assay", "--file", "labels.csv").code == 0
    return "my.assay"


def test_the_services_of_an_assay_are_compared_row_by_row(assay, pair: str) -> None:
    found = json.loads(assay("compare", pair, "--json").out)
    assert found["paired"] is True
    assert [place["name"] for place in found["places"]] == ["good", "cats"]
    best, other = found["places"]
    apart = best["estimate"]["mean"] - other["estimate"]["mean"]
    assert other["behind"] == pytest.approx(apart)
    assert best["probability_best"] > 0.99
    shown = assay("compare", pair).out
    assert "judged row by row" in shown


def test_prices_say_what_will_do(assay, pair: str) -> None:
    priced = ("--price", "good=0.006", "--price", "cats=0.001", "--per-arm")
    found = json.loads(assay("compare", pair, *priced, "--tolerance", "1", "--json").out)
    assert {row["choice"] for row in found["best_per_arm"]} == {"cats"}
    shown = assay("compare", pair, *priced)
    assert "choice: the cheapest that is at most 1.0 points less accurate" in shown.out
    assert shown.code == 0
    assert assay("compare", pair, "--price", "good=dear").code == 2


def test_named_services_alone_are_compared(assay, pair: str) -> None:
    answer = assay("compare", pair, "--service", "good")
    assert answer.code == 2
    assert "two or more" in answer.err


def test_a_table_is_compared_by_answers_or_by_scores(assay, folder: Path) -> None:
    pool = pl.read_parquet(folder / "pool.parquet")
    labels = pl.read_csv(folder / "labels.csv")
    ok = (pl.col("good_pred") == pl.col("label")).cast(pl.Int64).alias("ok")
    rows = pool.join(labels, on="id").with_columns(ok, pl.lit("cat").alias("cats"))
    rows.with_columns((pl.col("label") == "cat").cast(pl.Int64).alias("cat_ok")).write_csv("r.csv")
    cheap = ("compare", "r.csv", "-a", "sex", "--estimator", "beta-independent", "--json")
    named = ("--y-true", "label", "--service", "good_pred", "--service", "cats")
    by_answers = assay(*cheap, *named)
    by_scores = assay(*cheap, "--score", "ok", "--score", "cat_ok")
    for answer, best in ((by_answers, "good_pred"), (by_scores, "ok")):
        assert answer.code == 0, answer.err
        assert json.loads(answer.out)["places"][0]["name"] == best


def test_options_must_fit_what_is_compared(assay, saved: Path, worse: Path, pair: str) -> None:
    answer = assay("compare", saved, worse, "--service", "good")
    assert answer.code == 2
    assert "--service" in answer.err
    answer = assay("compare", pair, "--y-true", "label")
    assert answer.code == 2
    assert "--y-true" in answer.err
    answer = assay("compare", "labels.csv", "-a", "sex", "--service", "good")
    assert answer.code == 2
    assert "--service and --y-true, or by --score" in answer.err
    answer = assay("compare", "labels.csv")
    assert answer.code == 2
    assert "--attribute" in answer.err
