"""Keys and directions of texts on the Label page: what is typed, what answers, what is a tool."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, expect
from visiting import visit

MIXED = "This line is English.\nשלום, עולם.\nSo is this one!"


def pool() -> pl.DataFrame:
    rows = range(60)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in rows],
            "sex": [("f", "m")[i % 2] for i in rows],
            "band": [("a", "b", "c")[i % 3] for i in rows],
            "text": [MIXED for _ in rows],
            "guess": [("A", "B")[i % 5 == 0] for i in rows],
            "options": ["A | S | T" if i % 2 else "one | two | 3" for i in rows],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def serve(folder: Path, choices: list[str]) -> Iterator[PageServer]:
    label = {"choices": choices, "show": {"text": "text"}}
    with serve_pool(folder, pool(), "--no-token", label=label) as running:
        yield running


@pytest.fixture
def lettered(folder: Path) -> Iterator[PageServer]:
    yield from serve(folder, [*"ABCDEFGHIJ", "S"])


@pytest.fixture
def free(folder: Path) -> Iterator[PageServer]:
    yield from serve(folder, [])


def test_a_letter_answers_with_itself_and_tools_move_to_alt(
    lettered: PageServer, browser: Browser
) -> None:
    with visit(browser, lettered.url) as visitor:
        page = visitor.page
        told = {visitor.answer(key): key.upper() for key in "abjs"}
        visitor.wait_until_saved()
        (answers,) = {tuple(sorted(lettered.answers(who).items())) for who in who_is(page)}
        assert dict(answers) == told
        expect(page.locator("#skip kbd")).to_have_text("Alt s")
        skipped = visitor.answer("Alt+s")
        visitor.wait_until_saved()
        assert skipped not in lettered.answers(who_is(page)[0])
        lines = page.locator(".shown-text").evaluate(
            "(part) => [getComputedStyle(part).unicodeBidi, getComputedStyle(part).textAlign]"
        )
        assert lines == ["plaintext", "start"]


def who_is(page: object) -> list[str]:
    return [page.locator("#who").inner_text()]  # type: ignore[attr-defined]


def test_choices_of_a_row_have_the_keys_that_choices_of_all_rows_would_have(
    folder: Path, browser: Browser
) -> None:
    label = {"choices": [], "choices_from": ["options"], "show": {"text": "text"}}
    with (
        serve_pool(folder, pool(), "--no-token", label=label) as running,
        visit(browser, running.url) as visitor,
    ):
        page, told = visitor.page, {}
        for _ in range(6):
            is_lettered = int(visitor.wait_for_item().removeprefix("x")) % 2 == 1
            tool = "Alt s" if is_lettered else "s"
            expect(page.locator("#skip kbd")).to_have_text(tool)
            key, answer = ("s", "S") if is_lettered else ("2", "two")
            told[visitor.answer(key)] = answer
        visitor.wait_until_saved()
        assert running.answers(who_is(page)[0]) == told
        assert set(told.values()) == {"S", "two"}


def test_while_one_types_a_letter_is_a_letter_and_alt_is_a_tool(
    free: PageServer, browser: Browser
) -> None:
    with visit(browser, free.url) as visitor:
        page = visitor.page
        first = visitor.wait_for_item()
        page.keyboard.type("bus")
        expect(page.locator("#free-text")).to_have_value("bus")
        page.keyboard.press("Enter")
        second = visitor.wait_for_item(other_than=first)
        visitor.wait_until_saved()
        assert free.answers(who_is(page)[0]) == {first: "bus"}
        page.keyboard.press("Alt+s")
        visitor.wait_for_item(other_than=second)
