import json
from pathlib import Path

import polars as pl

from accuracy_assay.domain.surface import AccuracySurface


def test_slices_are_those_of_the_surface(assay, saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "slices.csv"
    answer = assay("slices", saved, "--below", 0.99, "--json", "--out", out)
    assert answer.code == 0, answer.err
    told = AccuracySurface.load(saved).slices(0.99)
    found = json.loads(answer.out)
    assert found["slices"]
    assert found["slices"] == told.to_frame().to_dicts()
    assert (found["bar"], found["searched"], found["fdr"]) == (0.99, told.searched, 0.1)
    assert pl.read_csv(out).get_column("slice").to_list() == [each.name for each in told]
    shown = assay("slices", saved, "--below", 0.99)
    assert "Weak slices: clearly below 99.0%" in shown.out


def test_where_nothing_is_weak_that_is_said(assay, saved: Path) -> None:
    answer = assay("slices", saved, "--below", 0.01)
    assert answer.code == 0, answer.err
    assert answer.out.startswith("No slice is clearly weaker than the whole: none below 1.0%")


def test_an_assay_is_looked_at_by_service(assay, store: str) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    answer = assay("slices", store, "--json")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["searched"] > 0


def test_a_bar_in_per_cent_is_refused(assay, saved: Path) -> None:
    answer = assay("slices", saved, "--below", 80)
    assert answer.code == 2
    assert "Write 80% as 0.8." in answer.err
