"""surface, query, compare and report: one file goes from hand to hand."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa

ATTRIBUTES = ("-a", "sex", "-a", "age:30,60")
PLAIN = ("--estimator", "beta-independent")


@pytest.fixture
def saved(assay, rows: Path, tmp_path: Path) -> Path:
    path = tmp_path / "s.surface"
    answer = assay("surface", rows, *ATTRIBUTES, "--score", "correct", *PLAIN, "--out", path)
    assert answer.code == 0, answer.err
    return path


def test_surface_file_equals_what_python_estimates(saved: Path, rows: Path) -> None:
    age = aa.Attribute("age", kind="continuous", edges=(30, 60))
    direct = aa.estimate(rows, ["sex", age], score="correct", estimator="beta-independent")
    assert aa.AccuracySurface.load(saved).to_frame().equals(direct.to_frame())


def test_surface_prints_the_worst_arms_for_programs(assay, rows: Path) -> None:
    answer = assay("surface", rows, *ATTRIBUTES, "--score", "correct", *PLAIN, "--json")
    arms = json.loads(answer.out)
    assert [arm["upper"] for arm in arms] == sorted(arm["upper"] for arm in arms)
    assert arms[0]["sex"] == "M"


def test_surface_prints_the_worst_arms_for_people(assay, rows: Path) -> None:
    answer = assay("surface", rows, *ATTRIBUTES, "--score", "correct", *PLAIN, "--worst", 2)
    assert "M, >= 60" in answer.out
    assert "F, < 30" not in answer.out


def test_terminal_json_page_and_python_list_the_same_worst_arms(assay, tmp_path: Path) -> None:
    # Arm d has the lowest mean and the widest interval, arm e too few rows to be ranked first.
    right = {"a": (60, 80), "b": (30, 60), "c": (20, 30), "d": (2, 6), "e": (0, 4)}
    rows = pl.DataFrame(
        [
            {"arm": f"{arm}{half}", "half": half, "correct": int(i < n_right)}
            for arm, (n_right, n) in right.items()
            for half in ("x", "y")
            for i in range(n)
        ]
    )
    path, saved = tmp_path / "rows.csv", tmp_path / "s.surface"
    rows.write_csv(path)
    call = ("surface", path, "-a", "arm", "-a", "half", "--score", "correct", *PLAIN)
    shown = assay(*call, "--worst", 8, "--out", saved).out
    listed = json.loads(assay(*call, "--worst", 8, "--json").out)
    page = tmp_path / "page.html"
    assay("report", saved, "--out", page)
    surface = aa.AccuracySurface.load(saved)
    expected = surface.worst(8).get_column("arm").to_list()
    assert expected != surface.worst(8, by="mean").get_column("arm").to_list()
    assert [arm["arm"] for arm in listed] == expected
    assert re.findall(r"^([a-e][xy]), ", shown, re.MULTILINE) == expected
    assert re.findall(r"<small>arm</small> (\w+)</span>", page.read_text())[:8] == expected
    assert "worst arms by the upper end of their 90% interval" in " ".join(shown.split())


def test_query_of_one_arm_is_that_arm(assay, saved: Path) -> None:
    answer = assay("query", saved, "sex=M", "age=70", "--json")
    arm = aa.AccuracySurface.load(saved).at(sex="M", age=70.0)
    assert json.loads(answer.out)["mean"] == arm.mean


def test_query_without_conditions_is_the_whole_pool(assay, saved: Path) -> None:
    overall = aa.AccuracySurface.load(saved).overall
    assert assay("query", saved).out.strip() == str(overall)


def test_query_under_a_mix_follows_the_mix(assay, saved: Path, tmp_path: Path) -> None:
    mix = tmp_path / "mix.csv"
    pl.DataFrame({"sex": ["F", "M"], "weight": [1.0, 0.0]}).write_csv(mix)
    under = json.loads(assay("query", saved, "--mix", mix, "--json").out)
    women = json.loads(assay("query", saved, "sex=F", "--json").out)
    assert under["mean"] == pytest.approx(women["mean"])


def test_query_refuses_conditions_beside_a_mix(assay, saved: Path, rows: Path) -> None:
    answer = assay("query", saved, "sex=F", "--mix", rows)
    assert answer.code == 2
    assert "conditions or a mix, not both" in answer.err


def test_query_names_a_value_that_does_not_exist(assay, saved: Path) -> None:
    answer = assay("query", saved, "sex=X")
    assert answer.code == 2
    assert answer.err.startswith("error: value of attribute 'sex' must be one of [F, M]; got 'X'.")
    assert "Traceback" not in answer.err


def test_compare_puts_the_best_first(assay, saved: Path, rows: Path, tmp_path: Path) -> None:
    worse = tmp_path / "worse.csv"
    pl.read_csv(rows).with_columns(pl.lit(0).alias("correct")).write_csv(worse)
    other = tmp_path / "worse.surface"
    assay("surface", worse, *ATTRIBUTES, "--score", "correct", *PLAIN, "--out", other)
    places = json.loads(assay("compare", other, saved, "--json").out)
    assert [place["name"] for place in places] == [str(saved), str(other)]
    assert places[0]["behind"] == 0.0
    assert places[1]["behind_lower"] > 0.0
    assert "worse.surface" in assay("compare", other, saved, "--where", "sex=F").out


def test_compare_needs_two(assay, saved: Path) -> None:
    answer = assay("compare", saved)
    assert answer.code == 2
    assert "two or more" in answer.err


def test_report_is_a_page_that_stands_alone(assay, saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    picture = tmp_path / "picture.png"
    answer = assay("report", saved, "--out", page, "--picture", picture, "--title", "My service")
    assert answer.code == 0, answer.err
    text = page.read_text()
    assert "My service" in text
    assert "<script src=" not in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_file_that_is_no_surface_is_a_users_mistake(assay, rows: Path) -> None:
    answer = assay("report", rows)
    assert answer.code == 2
    assert "Traceback" not in answer.err
