import json
import shlex
from contextlib import nullcontext
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.cli import console

SMALL = (
    *("--method", "beta-independent/largest-variance", "--against", "beta-independent/random"),
    *("--budget", 40, "--seed-size", 100),
)


def test_demo_writes_a_page_a_picture_and_a_surface_and_its_bar_moves_through_all_methods(
    assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[tuple[int, int, str]] = []
    bar = nullcontext(lambda finished, every, remark: moved.append((finished, every, remark)))
    monkeypatch.setattr(console, "steps", lambda name: bar)
    answer = assay("demo", *SMALL, "--batch", 20, "--out", tmp_path)
    assert answer.code == 0, answer.err
    assert answer.out.index("slice") < answer.out.index("clearly weaker")
    assert "truth" in answer.out
    assert "beta-independent/random" in answer.out
    assert "Digits" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "surface.png").read_bytes().startswith(b"\x89PNG")
    assert pl.read_parquet(tmp_path / "rows.parquet").height == 24_000
    assert aa.AccuracySurface.load(tmp_path / "digits.surface").n_labels == 140
    assert moved[0] == (0, 80, f"the first fit of {SMALL[1]}; it compiles")
    assert [finished for finished, *_ in moved] == sorted(finished for finished, *_ in moved)
    assert moved[-1][:2] == (80, 80)
    assert {every for _, every, _ in moved} == {80}


def test_demo_refuses_an_unknown_method(assay, tmp_path: Path) -> None:
    answer = assay("demo", "--method", "magic", "--out", tmp_path, "--json")
    assert answer.code == 2
    assert "got 'magic'" in answer.err


def test_the_quick_demo_says_the_verdict_writes_its_files_and_names_the_next_command(
    assay, tmp_path: Path
) -> None:
    answer = assay("demo", "--quick", "--out", tmp_path)
    assert answer.code == 0, answer.err
    surface = aa.AccuracySurface.load(tmp_path / "adult.surface")
    said = str(surface).splitlines()[0]
    assert said.startswith("Right for ")
    assert said in answer.out
    assert said in (tmp_path / "report.html").read_text()
    assert (tmp_path / "surface.png").read_bytes().startswith(b"\x89PNG")
    assert f"assay query {tmp_path}/adult.surface" in answer.out
    assert answer.out.splitlines()[-1] == "  assay look TABLE"


def test_the_commands_that_the_quick_demo_names_run_and_give_its_numbers(
    assay, tmp_path: Path
) -> None:
    shown = assay("demo", "--quick", "--out", tmp_path).out.splitlines()
    commands = [shlex.split(line)[1:] for line in shown if line.startswith("  assay ")]
    asked, again = (assay(*words) for words in commands if "TABLE" not in words)
    surface = aa.AccuracySurface.load(tmp_path / "adult.surface")
    assert asked.out.strip() == str(surface.at(sex="Female", marital="married"))
    assert again.code == 0, again.err
    assert str(surface).splitlines()[0] in again.out


def test_the_quick_demo_as_json_says_what_a_surface_says_and_which_files_it_wrote(
    assay, tmp_path: Path
) -> None:
    found = json.loads(assay("demo", "--quick", "--json", "--out", tmp_path).out)
    assert found["verdict"].startswith("Right for ")
    assert found["labels"] == 1_000
    assert all(Path(file).is_file() for file in found["files"])


@pytest.mark.parametrize("option", [("--budget", 5), ("--guessed",), ("--method", "aaa-2021")])
def test_the_quick_demo_refuses_what_it_would_ignore(assay, tmp_path: Path, option) -> None:
    answer = assay("demo", "--quick", *option, "--out", tmp_path / "new")
    assert answer.code == 2
    assert f"must have no {option[0]}" in answer.err
    assert not (tmp_path / "new").exists()
