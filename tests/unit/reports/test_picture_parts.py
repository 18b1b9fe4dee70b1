"""Parts of a picture say what they are given: one box per combination, one bar per name."""

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from accuracy_assay.reports.picture_parts import (
    STYLE,
    draw_boxes,
    draw_intervals,
    heat_colour,
)


def test_colour_fades_with_the_width_of_the_interval() -> None:
    plain = heat_colour(0.75, 0.0, 0.75)
    sure, unsure, unknown = (heat_colour(0.2, width, 0.75) for width in (0.0, 0.5, 1.0))
    away = [np.abs(colour - plain).sum() for colour in (sure, unsure, unknown)]
    assert away[0] > away[1] > away[2] == pytest.approx(0.0)


def test_every_box_has_its_number_in_its_place() -> None:
    axes = Figure().subplots()
    boxes = [(0, 1, 0.25, 0.1, 0.4), (1, 0, 0.9, 0.8, 1.0)]
    draw_boxes(axes, boxes, ("sex", ["F", "M"]), ("age", ["young", "old"]), 0.6)
    found = {text.get_text(): text.get_position()[0] for text in axes.texts}
    assert found == {"25": 1, "90": 0}
    assert len(axes.patches) == 2
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("sex", "age")


def test_every_interval_has_a_bar_from_end_to_end() -> None:
    axes = Figure().subplots()
    draw_intervals(axes, ["a", "b"], [0.5, 0.6], [0.4, 0.1], [0.7, 0.9])
    (bars,) = axes.collections
    ends = [segment[:, 0].tolist() for segment in bars.get_segments()]
    assert ends == [[0.4, 0.7], [0.1, 0.9]]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b"]


def test_a_dollar_in_a_name_is_a_dollar() -> None:
    with rc_context(STYLE):
        figure = Figure()
        draw_intervals(figure.subplots(), ["$x^", "$y$"], [0.5, 0.6], [0.4, 0.1], [0.7, 0.9])
        figure.draw_without_rendering()


def test_of_rates_of_errors_more_is_orange() -> None:
    def colours(is_error: bool) -> list[tuple[float, ...]]:
        axes = Figure().subplots()
        boxes = [(0, 0, 0.2, 0.1, 0.3), (0, 1, 0.8, 0.7, 0.9)]
        names = ("sex", ["F"]), ("age", ["young", "old"])
        draw_boxes(axes, boxes, *names, 0.5, is_error=is_error)
        return [patch.get_facecolor() for patch in axes.patches]

    np.testing.assert_allclose(colours(True), colours(False)[::-1])
