"""The page of a comparison stands alone, has every number, and escapes what users named."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.reports.board_page import BoardReport, render_board, write_board_page

NAME = "</script><b>evil"


def place(rank: int, name: str, **others: Any) -> dict[str, Any]:
    numbers = {"accuracy": 0.9 / rank, "lower": 0.8 / rank, "upper": 0.95 / rank}
    behind = {"behind": 0.0, "behind_lower": 0.0, "behind_upper": 0.0}
    ranks = {"rank": rank, "rank_lower": 1, "rank_upper": 2, "probability_best": 0.6}
    tied = {"tied_with": [], "labels": 30.0}
    return {"service": name, **numbers, **behind, **ranks, **tied, **others}


@pytest.fixture
def report() -> BoardReport:
    board = [place(1, NAME, tied_with=["second"]), place(2, "second", tied_with=[NAME])]
    by = [
        {**row, "kind": kind, "is_sure": kind == "law"} for kind in ("law", "<i>") for row in board
    ]
    arm = {
        "kind": "law",
        "best": NAME,
        "accuracy": 0.9,
        "probability": 0.6,
        "labels": 9,
        "rows": 70,
    }
    return BoardReport("a <title>", "of these 70 rows", ["One."], 0.9, board, {"kind": by}, [arm])


class Addresses(HTMLParser):
    """What a browser would load, and the elements of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for key, value in attrs if key in ("src", "href")]
        self.tags.append(tag)


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_nothing_is_loaded_and_names_are_no_markup(report: BoardReport) -> None:
    page = render_board(report)
    parsed = Addresses()
    parsed.feed(page)
    assert all(address.startswith("data:") for address in parsed.found)
    assert "url(" not in page
    assert parsed.tags.count("script") == 2
    assert parsed.tags.count("title") == 1
    assert "i" not in parsed.tags
    assert "default-src &#39;none&#39;" in page


def test_the_page_has_every_number(report: BoardReport) -> None:
    data = data_of(render_board(report))
    assert data["board"] == [dict(row) for row in report.board]
    assert [value["value"] for value in data["by"][0]["values"]] == ["law", "<i>"]
    of_law = data["by"][0]["values"][0]["services"]
    assert of_law["second"]["accuracy"] == 0.45
    assert data["arms"] == [dict(row) for row in report.arms]


def test_labels_are_said_once_if_all_services_have_as_many(report: BoardReport) -> None:
    same = render_board(report)
    assert "from 30 labels" in same
    assert data_of(same)["labels_differ"] is False
    board = [report.board[0], {**report.board[1], "labels": 12.0}]
    differ = render_board(BoardReport("t", "of rows", [], 0.9, board, {}, []))
    assert "from 30 labels" not in differ
    assert data_of(differ)["labels_differ"] is True
    assert "By value" not in differ


def test_the_page_is_written_where_it_should_go(report: BoardReport, tmp_path: Path) -> None:
    path = write_board_page(report, tmp_path / "board.html")
    assert path.read_text(encoding="utf-8") == render_board(report)
