from pathlib import Path

import polars as pl

import accuracy_assay as aa

SMALL = (
    *("--method", "beta-independent/largest-variance", "--against", "beta-independent/random"),
    *("--budget", 40, "--seed-size", 100),
)


def test_demo_writes_a_page_a_picture_and_a_surface(assay, tmp_path: Path) -> None:
    answer = assay("demo", *SMALL, "--batch", 20, "--out", tmp_path)
    assert answer.code == 0, answer.err
    assert answer.out.index("slice") < answer.out.index("clearly weaker")
    assert "truth" in answer.out
    assert "beta-independent/random" in answer.out
    assert "Digits" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "surface.png").read_bytes().startswith(b"\x89PNG")
    assert pl.read_parquet(tmp_path / "rows.parquet").height == 24_000
    assert aa.AccuracySurface.load(tmp_path / "digits.surface").n_labels == 140


def test_demo_refuses_an_unknown_method(assay, tmp_path: Path) -> None:
    answer = assay("demo", "--method", "magic", "--out", tmp_path, "--json")
    assert answer.code == 2
    assert "got 'magic'" in answer.err
