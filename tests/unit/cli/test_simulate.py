import json
from pathlib import Path

import polars as pl

SETTINGS = ("--estimator", "beta-independent", "--strategy", "random", "--seed-size", 50)


def test_simulate_reports_every_round(assay, rows: Path, tmp_path: Path) -> None:
    out, save = tmp_path / "metrics.csv", tmp_path / "last.surface"
    answer = assay(
        *("simulate", rows, "-a", "sex", "--score", "correct", *SETTINGS, "--budget", 40),
        *("--batch", 20, "--out", out, "--save", save, "--json"),
    )
    assert answer.code == 0, answer.err
    assert [row["labels"] for row in json.loads(answer.out)] == [50, 70, 90]
    assert pl.read_csv(out).height == 3
    assert save.is_file()


def test_evidence_must_be_a_pair(assay, rows: Path) -> None:
    answer = assay("simulate", rows, "-a", "sex", "--evidence", "p_sex__*", *SETTINGS)
    assert answer.code == 2
    assert "evidence must read attribute=pattern; got 'p_sex__*'" in answer.err


def test_an_unknown_column_is_named(assay, rows: Path) -> None:
    answer = assay("simulate", rows, "-a", "gender", "--score", "correct", *SETTINGS)
    assert answer.code == 2
    assert "got 'gender'" in answer.err


def test_people_see_a_row_per_round(assay, rows: Path) -> None:
    answer = assay(
        *("simulate", rows, "-a", "sex", "--score", "correct", *SETTINGS, "--budget", 20),
        *("--batch", 20),
    )
    assert answer.code == 0, answer.err
    assert "macro_mse" in answer.out
    assert [line.split()[3] for line in answer.out.splitlines() if line.startswith("│")] == [
        "50",
        "70",
    ]
