"""Services side by side on the page of one of them."""

from dataclasses import replace

import pytest

import accuracy_assay as aa
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.page import render_page
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.services_board import ServicesBoard, services_section
from accuracy_assay.study.compare.compare import compare_surfaces


@pytest.fixture
def board(surface: AccuracySurface) -> aa.Comparison:
    poor = replace(surface, mean=surface.mean - 0.1, lower=surface.lower - 0.1)
    return compare_surfaces({"<b>reader": surface, "rival": poor})


@pytest.fixture
def known(board: aa.Comparison) -> ServicesBoard:
    return ServicesBoard(board.to_frame().to_dicts(), {"sex": board.by("sex").to_dicts()})


def test_the_section_has_the_rows_of_the_board_and_knows_its_own(known: ServicesBoard) -> None:
    found = services_section(known, "rival")
    assert found is not None
    assert [row["service"] for row in found["rows"]] == ["<b>reader", "rival"]
    assert [row["is_own"] for row in found["rows"]] == [False, True]
    assert services_section(None, "rival") is None


def test_boxes_stand_in_the_order_of_the_board_and_of_the_values(
    known: ServicesBoard, board: aa.Comparison
) -> None:
    found = services_section(known, "rival")
    assert found is not None
    (table,) = found["tables"]
    assert table["values"] == ["F", "M"]
    for row in table["rows"]:
        for value, box in zip(table["values"], row["boxes"], strict=True):
            there = {place.name: place for place in board.at(sex=value)}
            assert box["accuracy"] == pytest.approx(there[row["service"]].estimate.mean)


def test_the_page_shows_them_and_escapes_their_names(report: Report, known: ServicesBoard) -> None:
    assert "Services side by side" not in render_page(report)
    page = render_page(replace(report, services=known))
    assert "Services side by side" in page
    assert "&lt;b&gt;reader is the best of 2" in page
    assert "<b>reader" not in page
