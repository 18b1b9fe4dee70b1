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
    places = json.loads(assay("compare", worse, saved, "--json").out)
    assert [place["name"] for place in places] == [str(saved), str(worse)]
    assert places[0]["behind"] == 0.0
    assert places[1]["behind_lower"] > 0.0


def test_people_see_how_far_the_others_are_behind(assay, saved: Path, worse: Path) -> None:
    shown = assay("compare", worse, saved, "--where", "sex=F", "--where", "age=70").out
    best, other = (line for line in shown.splitlines() if ".surface" in line)
    assert "worse.surface" in other
    assert " to " in other.split("│")[-2]
    assert best.split("│")[-2].strip() == ""


def test_one_surface_is_too_few(assay, saved: Path) -> None:
    answer = assay("compare", saved)
    assert answer.code == 2
    assert "two or more" in answer.err
