"""Reliability pictures, alone and on the page."""

import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import pytest

from accuracy_assay.calibration.report import CalibrationReport, Quality
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.joint.reliability import Reliability
from accuracy_assay.reports.page import render_page
from accuracy_assay.reports.reliability import draw_reliability, write_reliability
from accuracy_assay.reports.report import Report


def quality(name: str) -> Quality:
    before = Reliability((10, 30), (0.55, 0.95), (0.5, 0.8), 0.125)
    after = Reliability((40,), (0.72,), (0.725,), 0.005)
    return Quality(name, 0.6543, 0.4321, 0.6931, before, after)


@pytest.fixture
def calibration() -> CalibrationReport:
    attributes = tuple(quality(name) for name in ("sex", "age", "accent", "room"))
    return CalibrationReport("full", 200, 40, attributes, quality("joint"), ("mind the gap",))


def test_a_panel_per_attribute_and_one_for_the_joint(calibration: CalibrationReport) -> None:
    figure = draw_reliability(calibration)
    titles = [axes.get_title() for axes in figure.axes if axes.axison]
    assert titles[0] == "sex\nerror 0.125 → 0.005"
    assert [title.split("\n")[0] for title in titles] == [
        "sex",
        "age",
        "accent",
        "room",
        "joint",
    ]
    before, after = figure.axes[0].collections
    assert before.get_offsets().tolist() == [[0.55, 0.5], [0.95, 0.8]]
    assert after.get_offsets().tolist() == [[0.72, 0.725]]


def test_the_suffix_chooses_the_format(calibration: CalibrationReport, tmp_path: Path) -> None:
    assert write_reliability(calibration, tmp_path / "r.svg").read_text().startswith("<?xml")


def test_nothing_measured_is_nothing_to_draw() -> None:
    with pytest.raises(InputError, match="'raw' without a seed set"):
        draw_reliability(CalibrationReport("raw", 0, 0))


def test_the_page_shows_picture_figures_and_notes(
    bare: Report, calibration: CalibrationReport
) -> None:
    page = render_page(replace(bare, calibration=calibration))
    picture = re.search(r'base64,([^"]+)"', page[page.index("guessed attributes") :])
    assert picture is not None
    assert b64decode(picture.group(1)).startswith(b"\x89PNG")
    for text in ("0.654", "0.432", "0.125", "0.005", "40 of them", "mind the gap"):
        assert text in page


def test_a_page_without_guessed_attributes_does_not_speak_of_them(bare: Report) -> None:
    assert "guessed attributes" not in render_page(bare)
    empty = CalibrationReport("raw", 0, 0, notes=("fell back",))
    assert "fell back" in render_page(replace(bare, calibration=empty))
