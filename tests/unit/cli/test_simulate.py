import json
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.estimators.beta_independent import BetaIndependent

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


def test_a_run_that_is_stopped_keeps_its_rounds(
    assay, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, calls = BetaIndependent.fit, []

    def interrupted(self: BetaIndependent, *arguments: object) -> object:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fit(self, *arguments)

    monkeypatch.setattr(BetaIndependent, "fit", interrupted)
    out = tmp_path / "metrics.csv"
    answer = assay(
        *("simulate", rows, "-a", "sex", "--score", "correct", *SETTINGS, "--budget", 80),
        *("--batch", 20, "--out", out),
    )
    assert answer.code == 130
    assert "stopped" in answer.err
    assert pl.read_csv(out)["labels"].to_list() == [50, 70]


@pytest.mark.parametrize("option", ["--out", "--save"])
def test_a_place_is_checked_before_the_first_round(assay, rows: Path, option: str) -> None:
    answer = assay("simulate", rows, "-a", "gender", option, "none/x")
    assert answer.code == 2
    assert "existing folder; got 'none'" in answer.err


def test_referees_are_those_of_python(assay, refereed: Path, tmp_path: Path) -> None:
    save = tmp_path / "last.surface"
    answer = assay(
        *("simulate", refereed, "-a", "sex", "--score", "correct", "--y-pred", "own"),
        *("--referee", "ibm", "--agreement", "equal", "--strategy", "random", "--budget", 0),
        *("--seed-size", 50, "--save", save),
    )
    assert answer.code == 0, answer.err
    direct = aa.simulate(
        refereed,
        ["sex"],
        "correct",
        y_pred="own",
        referees=["ibm"],
        strategy="random",
        budget=0,
        seed_size=50,
    )
    assert aa.AccuracySurface.load(save).to_frame().equals(direct.surface.to_frame())


def test_judges_are_those_of_python(assay, refereed: Path, tmp_path: Path) -> None:
    save = tmp_path / "last.surface"
    answer = assay(
        *("simulate", refereed, "-a", "sex", "--score", "correct", "--judge", "ibm"),
        *("--strategy", "random", "--budget", 0, "--seed-size", 50, "--save", save),
    )
    assert answer.code == 0, answer.err
    options = {"strategy": "random", "budget": 0, "seed_size": 50}
    direct = aa.simulate(refereed, ["sex"], "correct", judges=["ibm"], **options)
    assert aa.AccuracySurface.load(save).to_frame().equals(direct.surface.to_frame())


def test_a_history_is_that_of_python(assay, rows: Path, tmp_path: Path) -> None:
    save = tmp_path / "last.surface"
    frame = pl.read_csv(rows)
    frame.with_columns(old=pl.Series([0, 1, 1] * frame.height)[: frame.height]).write_csv(rows)
    answer = assay(
        *("simulate", rows, "-a", "sex", "--score", "correct", "--history", "old"),
        *("--strategy", "random", "--budget", 0, "--seed-size", 50, "--save", save),
    )
    assert answer.code == 0, answer.err
    options = {"strategy": "random", "budget": 0, "seed_size": 50}
    direct = aa.simulate(rows, ["sex"], "correct", history=["old"], **options)
    assert aa.AccuracySurface.load(save).to_frame().equals(direct.surface.to_frame())
