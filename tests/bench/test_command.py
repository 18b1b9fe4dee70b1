import json
from pathlib import Path

import pytest

from assay_bench import simple_setting

TASK = "synthetic:rows=1000,attributes=2,values=3"
SMALL = ("--task", TASK, "--seeds", 2, "--seed-size", 100, "--jobs", 1)


def test_estimation_prints_mean_and_deviation(assay, tmp_path: Path) -> None:
    answer = assay(
        *("bench", "estimation", *SMALL, "--labels", 200, "--method", "beta-independent"),
        *("--out", tmp_path),
    )
    assert answer.code == 0, answer.err
    assert "2 seeds" in answer.out
    assert "beta-independent" in answer.out
    assert "±" in answer.out
    assert (tmp_path / "estimation.csv").is_file()


def test_exploration_says_how_many_labels_a_strategy_saves(assay, tmp_path: Path) -> None:
    methods = ("beta-independent/random", "beta-independent/largest-variance")
    answer = assay(
        *("bench", "exploration", *SMALL, "--labels", 200, "--batch", 50, "--out", tmp_path),
        *(part for method in methods for part in ("--method", method)),
    )
    assert answer.code == 0, answer.err
    assert "labels asked for until the last error of random" in answer.out


def test_json_is_the_summary(assay, tmp_path: Path) -> None:
    answer = assay(
        *("bench", "estimation", *SMALL, "--labels", 200, "--method", "constant"),
        *("--out", tmp_path, "--json"),
    )
    (row,) = json.loads(answer.out)
    assert (row["task"], row["method"], row["labels"]) == (TASK, "constant", 200)


def test_surface_stats_lists_the_worst_arms(assay, tmp_path: Path) -> None:
    arguments = ("bench", "surface-stats", "--task", TASK, "--out", tmp_path)
    answer = assay(*arguments)
    assert answer.code == 0, answer.err
    assert "least accurate arms" in answer.out
    (stats,) = json.loads(assay(*arguments, "--json").out)
    assert stats["n_arms"] == 9
    assert (tmp_path / "surface-stats.csv").is_file()


def test_a_report_is_written(assay, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "results.md"
    answer = assay(
        *("bench", "estimation", *SMALL, "--labels", 200, "--method", "constant"),
        *("--out", tmp_path / "out", "--report", page),
    )
    assert answer.code == 0, answer.err
    text = page.read_text(encoding="utf-8")
    assert "# Results" in text
    assert "| constant |" in text
    assert str(tmp_path) not in text


def test_simple_setting_prints_both_tables_and_json(
    assay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = {"beta-gp": simple_setting.VARIANTS["beta-gp"]}
    monkeypatch.setattr(simple_setting, "VARIANTS", one)
    answer = assay("bench", "simple-setting", "--out", tmp_path)
    assert answer.code == 0, answer.err
    assert "Scale by arm" in answer.out
    assert "1.063" in answer.out  # what the paper prints
    (row,) = json.loads(assay("bench", "simple-setting", "--out", tmp_path, "--json").out)
    assert row["method"] == "beta-gp"
    assert row["mse"] == pytest.approx(row["bias2"] + row["variance"])
    assert row["length"] > 0.0
    assert len(row["scales"]) == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bench", "magic"), "benchmark must be one of"),
        (("bench", "surface-stats", "--task", "magic"), "task must be one of"),
        (("bench", "surface-stats", "--task", "adult5"), "Pass --data DIR or set ASSAY_DATA"),
    ],
)
def test_mistakes_are_named(
    assay, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    answer = assay(*arguments)
    assert answer.code == 2
    assert message in answer.err


def test_what_was_finished_before_is_said(assay, tmp_path: Path) -> None:
    again = (
        *("bench", "estimation", *SMALL, "--labels", 200, "--method", "constant"),
        *("--out", tmp_path),
    )
    assert "finished before" not in assay(*again).err
    assert "2 runs were finished before" in assay(*again).err


def test_what_is_finished_can_be_shown_without_the_rest(assay, tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    whole = ("bench", "estimation", "--task", TASK, "--seed-size", 100, "--jobs", 1)
    whole += ("--labels", 200, "--method", "constant", "--out", tmp_path)
    assert assay(*whole, "--seeds", 1).code == 0
    answer = assay(*whole, "--seeds", 2, "--finished", "--report", page)
    assert answer.code == 0, answer.err
    assert f"Some runs are missing: {TASK} has 1 of 2 seeds." in page.read_text(encoding="utf-8")


def test_what_is_not_begun_is_said_to_be_so(assay, tmp_path: Path) -> None:
    answer = assay(
        *("bench", "estimation", *SMALL, "--labels", 200, "--method", "constant"),
        *("--out", tmp_path, "--finished"),
    )
    assert answer.code == 0, answer.err
    assert "nothing of estimation is finished" in answer.err


def test_coverage_is_shown_and_has_a_page_of_its_own(assay, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "coverage.md"
    answer = assay(
        *("bench", "coverage", "--task", "synthetic-exact:rows=500,attributes=2", "--seeds", 2),
        *("--labels", 24, "--labels", 100, "--method", "beta-independent/random", "--jobs", 1),
        *("--out", tmp_path / "out", "--report", page),
    )
    assert answer.code == 0, answer.err
    assert "arms: percentage held" in answer.out
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# How intervals were checked")
    assert "Wilson, beta-independent/random" in text
    assert (page.parent / "assets/results/coverage.png").is_file()


def test_coverage_counts_a_task_whose_attributes_are_guessed(assay, tmp_path: Path) -> None:
    guessed = f"{TASK},distance=3"
    arguments = ("--task", guessed, "--seeds", 1, "--labels", 60, "--method", "constant@raw")
    answer = assay("bench", "coverage", *arguments, "--jobs", 1, "--out", tmp_path)
    assert answer.code == 0
    assert "arms: percentage held" in answer.out
