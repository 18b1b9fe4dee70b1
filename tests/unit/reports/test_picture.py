"""The picture shows every combination of the pool and the weak slices, without global state."""

from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.fonts import draw_every_script
from accuracy_assay.reports.picture import draw_picture, write_picture
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.verdict import verdict


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_suffix_chooses_the_format(
    report: Report, tmp_path: Path, suffix: str, magic: bytes
) -> None:
    path = write_picture(report, tmp_path / f"surface.{suffix}")
    assert path.read_bytes().startswith(magic)


def test_heat_map_has_one_box_per_combination_of_the_pool(report: Report) -> None:
    heat, weak = draw_picture(report).axes
    assert sorted(text.get_text() for text in heat.texts) == ["40", "50", "60", "80", "90"]
    assert heat.get_ylabel() == "age"
    assert [t.get_text() for t in weak.get_yticklabels()] == ["age = >60"]


def test_where_no_slice_is_weak_the_lowest_arms_are_shown_and_it_is_said(flat: Report) -> None:
    _, lowest = draw_picture(flat).axes
    assert lowest.get_title(loc="left").startswith("No slice is clearly weaker")
    assert len(lowest.get_yticks()) == 6
    low, high = lowest.get_xlim()
    assert 60.0 < low < 73.0
    assert 87.0 < high < 95.0


def test_truth_is_drawn_only_where_it_is_known(report: Report, bare: Report) -> None:
    for shown, labels in (
        (report, {"estimate", "overall", "truth"}),
        (bare, {"estimate", "overall"}),
    ):
        lines = draw_picture(shown).axes[1].lines
        assert {line.get_label() for line in lines} == labels


def test_nothing_covers_a_legend(report: Report) -> None:
    figure = draw_picture(replace(report, title="A title that is long enough " * 6))
    draw_every_script(figure)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    place = legend.get_window_extent()
    for axes in figure.axes:
        assert not place.overlaps(axes.get_tightbbox())
    assert not place.overlaps(figure._suptitle.get_window_extent())  # type: ignore[attr-defined]
    assert not place.x1 > figure.bbox.x1


def test_of_many_values_those_with_the_most_rows_are_drawn(report: Report) -> None:
    space = AttributeSpace(
        (Attribute("sex", ("F", "M")), Attribute("town", tuple(f"t{k}" for k in range(40))))
    )
    arms = np.arange(80)
    support = np.where(arms % 40 == 39, 500.0, 10.0)
    size = {name: np.full(80, v) for name, v in (("mean", 0.8), ("lower", 0.7), ("upper", 0.9))}
    rest = {"n": np.ones(80), "correct": np.ones(80), "sd": np.full(80, 0.05)}
    wide = AccuracySurface(space, arms, support=support, **size, **rest)
    heat = draw_picture(Report("Reader", wide)).axes[0]
    values = [t.get_text() for t in heat.get_yticklabels()]
    assert len(values) == 24
    assert "t39" in values


def test_picture_leaves_the_global_figures_alone(report: Report) -> None:
    import matplotlib.pyplot as plt

    draw_picture(report)
    assert plt.get_fignums() == []


def test_one_attribute_has_one_panel_with_its_values(report: Report) -> None:
    space = AttributeSpace((Attribute("arm", tuple("abcdef")),))
    (axes,) = draw_picture(replace(report, surface=replace(report.surface, space=space))).axes
    assert axes.get_title(loc="left") == "By arm"
    assert [t.get_text() for t in axes.get_yticklabels()] == list("abcde")  # f is not in the pool


def test_a_surface_draws_itself_under_its_verdict(
    surface: AccuracySurface, report: Report, tmp_path: Path
) -> None:
    assert surface.picture(tmp_path / "s.svg") == tmp_path / "s.svg"
    drawn = unescape((tmp_path / "s.svg").read_text())
    assert verdict(report) in drawn
    surface.picture(tmp_path / "t.svg", title="Reader of digits")
    named = unescape((tmp_path / "t.svg").read_text())
    assert "Reader of digits" in named
    assert verdict(report) not in named


def test_no_line_of_the_headline_is_wider_than_the_picture(report: Report) -> None:
    figure = draw_picture(replace(report, title="Wide words make WIDE lines " * 20))
    draw_every_script(figure)
    figure.draw_without_rendering()
    assert figure._suptitle.get_window_extent().x1 < figure.bbox.x1  # type: ignore[attr-defined]
