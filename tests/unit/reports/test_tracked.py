"""What a tracker is told: numbers under names that it takes, facts, and three files."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import MissingExtraError
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.tracked import Tracked, tracker


def test_numbers_are_those_of_the_surface(surface: AccuracySurface) -> None:
    found, overall = Tracked.of(surface, "reader").metrics, surface.overall
    ends = [found[f"overall/{name}"] for name in ("accuracy", "lower", "upper")]
    assert ends == [overall.mean, overall.lower, overall.upper]
    assert found["slice/age _60/accuracy"] == surface.slices().found[0].estimate.mean
    assert all(re.fullmatch(r"[/\w.\- ]{1,250}", name) for name in found)
    assert "without_answer" not in found


def test_rows_without_an_answer_are_a_number_and_a_fact(surface: AccuracySurface) -> None:
    silent = surface.with_details(missing_prediction={"rule": "wrong", "rows": 7, "of": 60})
    tracked = Tracked.of(silent, "reader")
    assert tracked.metrics["without_answer"] == 7.0
    assert tracked.facts["without_an_answer"].startswith("7 of 60 labelled rows")


def test_slices_whose_plain_names_are_equal_keep_their_own_numbers(report: Report) -> None:
    (found,) = report.slices
    twins = [replace(found, where={"age": value}) for value in ("<", ">")]
    shown = replace(report)
    vars(shown)["slices"] = replace(report.slices, found=tuple(twins))
    names = [name for name in Tracked(shown).metrics if name.endswith("go_wrong")]
    assert names == ["slice/age _/go_wrong", "slice/age _-2/go_wrong"]


def test_the_files_are_a_page_a_card_and_the_surface(
    surface: AccuracySurface, tmp_path: Path
) -> None:
    written = Tracked.of(surface, "my/reader").write(tmp_path)
    assert [path.name for path in written] == [
        "my_reader.html",
        "my_reader.md",
        "my_reader.surface",
    ]
    again = AccuracySurface.load(written[-1])
    assert again.to_frame().equals(surface.to_frame())


def test_a_tracker_that_is_not_installed_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[wandb\]"):
        tracker("wandb", "W&B")
