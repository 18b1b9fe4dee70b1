import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa


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
    assert " to " in other.split("│")[5]
    assert best.split("│")[5].strip() == ""
    assert "as if the surfaces had separate labels" in shown


def test_markdown_names_the_best_first(assay, saved: Path, worse: Path) -> None:
    shown = assay("compare", worse, saved, "--markdown", "--per-arm")
    lines = shown.out.splitlines()
    assert shown.code == 0
    assert lines[0] == f"### {saved.name}: the best of 2 with a probability of 100%"
    rows = [line for line in lines if line.startswith("| ") and ".surface |" in line]
    assert rows[0].startswith(f"| 1 | {saved.name} |")
    assert rows[1].startswith(f"| 2 | {worse.name} |")
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
    assert {row["choice"] for row in found["best_per_arm"]} == {"cats"} == {found["choice"]}
    shown = assay("compare", pair, *priced)
    assert "choice: the cheapest that is at most 1.0 points less accurate" in shown.out
    assert "Choice: good, 0.006 per answer: the cheapest" in shown.out
    assert "Choice: good, 0.006 per answer" in assay("compare", pair, *priced, "--markdown").out
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


TWELVE = ["=best()", *(f"m{i}" for i in range(11))]
"""Services: one is far ahead, the others are all alike."""


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The command that compares twelve services by their scores."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    chance = {name: 0.95 if name == TWELVE[0] else 0.5 for name in TWELVE}
    scores = {name: (rng.random(200) < chance[name]).astype(int) for name in TWELVE}
    kind = rng.choice(["law", "maths", "a very long name of a kind"], 200)
    pl.DataFrame({"kind": kind, **scores}).write_parquet("scores.parquet")
    named = (part for name in TWELVE for part in ("--score", name))
    return ("compare", "scores.parquet", "-a", "kind", *named)


def test_the_board_has_ranks_ties_and_values(assay, many: tuple[str, ...]) -> None:
    found = json.loads(assay(*many, "--by", "kind", "--json").out)
    board = aa.compare("scores.parquet", ["kind"], scores=TWELVE)
    assert found["board"] == board.to_frame().to_dicts()
    assert found["by"] == board.by("kind").to_dicts()
    assert json.loads(assay(*many, "--json").out)["by"] is None
    shown = assay(*many, "--by", "kind").out
    first, second = [line for line in shown.splitlines() if line.startswith("│")][:2]
    assert first.split("│")[7].strip() == ""
    tied = board.to_frame()["tied_with"][1].to_list()
    assert second.split("│")[7].strip() == f"{tied[0]}, {tied[1]} + {len(tied) - 2}"
    assert "The first 10 services; 2 more with --json." in shown


def test_the_best_of_a_value_is_marked_only_if_it_is_sure(assay, many: tuple[str, ...]) -> None:
    sure = assay(*many, "--by", "kind").out
    assert sure.count("*") == 3 + 1  # each kind, and what the mark means
    without = [part for pair in zip(many[4::2], many[5::2], strict=True) for part in pair][2:]
    unsure = assay(*many[:4], *without, "--by", "kind").out
    assert unsure.count("*") == 1


@pytest.mark.parametrize("width", [80, 120])
def test_no_cell_is_cut_in_a_narrow_terminal(width: int, many: tuple[str, ...]) -> None:
    from accuracy_assay.cli.compare_tables import board_table, by_tables
    from accuracy_assay.cli.console import LiteralConsole

    long = {name: f"a service with a long name {name}" for name in TWELVE}
    pl.read_parquet("scores.parquet").rename(long).write_parquet("scores.parquet")
    found = aa.compare("scores.parquet", ["kind"], scores=list(long.values()))
    console = LiteralConsole(width=width)
    tables = [board_table(found, console), *by_tables(found, found.by("kind"), console)]
    for table in tables:
        with console.capture() as capture:
            console.print(table)
        lines = capture.get().splitlines()
        assert max(map(len, lines)) <= width
        assert "…" not in capture.get()
    values = [str(column.header) for table in tables[1:] for column in table.columns[1:]]
    assert [value.replace("\n", " ") for value in values] == [
        "a very long name of a kind",
        "law",
        "maths",
    ]


def test_a_saved_board_is_asked_again_without_a_fit(assay, many: tuple[str, ...]) -> None:
    Path("mix.csv").write_text("kind\nlaw\nmaths\n")
    fitted = assay(*many, "--save", "models.board", "--mix", "mix.csv", "--json")
    assert fitted.code == 0, fitted.err
    Path("scores.parquet").unlink()
    asked = assay("compare", "models.board", "--mix", "mix.csv", "--json")
    assert asked.code == 0, asked.err
    assert json.loads(asked.out) == json.loads(fitted.out)
    priced = [part for name in TWELVE for part in ("--price", f"{name}=2")]
    found = json.loads(assay("compare", "models.board", *priced, "--json").out)
    assert {row["price"] for row in found["board"]} == {2.0}
    refused = assay("compare", "models.board", "--family", "m1=m")
    assert refused.code == 2
    assert "Leave out --family" in refused.err
    same = assay("compare", "models.board", "--save", "models.board")
    assert "must go to a separate file" in same.err


def test_no_spreadsheet_executes_a_name_of_the_board(assay, many: tuple[str, ...]) -> None:
    assert assay(*many, "--csv", "board.csv").code == 0
    texts = pl.read_csv("board.csv", infer_schema=False)
    assert texts["service"][0] == f"'{TWELVE[0]}"
    tied = aa.compare("scores.parquet", ["kind"], scores=TWELVE).to_frame()["tied_with"][1]
    assert texts["tied_with"][1] == "; ".join(tied)


def test_families_are_those_of_services(assay, many: tuple[str, ...]) -> None:
    unknown = assay(*many, "--family", "m99=m")
    assert unknown.code == 2
    assert "m99" in unknown.err
    assert assay(*many, "--family", "m1=").code == 2
    assert assay(*many, "--family", "m1").code == 2
    assert assay(*many, "--family", "m1=m", "--family", "m2=m").code == 0


def test_the_page_has_the_numbers_of_the_board(assay, many: tuple[str, ...]) -> None:
    answer = assay(*many, "--board", "models.html")
    assert answer.code == 0, answer.err
    page = Path("models.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    board = aa.compare("scores.parquet", ["kind"], scores=TWELVE)
    assert data["board"] == board.to_frame().to_dicts()
    assert len(data["arms"]) == 3
    assert assay(*many, "--board", "models.csv").code == 2
