"""Choices of a row's own on the Label page: their keys, their directions, and a phone's layout."""

from collections.abc import Iterator

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, expect
from visiting import PHONE, visit

MIXED = "This line is English.\nשלום, עולם.\nSo is this one!"
LETTERED = " | ".join([*"ABCDEFGHIJ", "S"])


def pool() -> pl.DataFrame:
    rows = range(60)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in rows],
            "sex": [("f", "m")[i % 2] for i in rows],
            "band": [("a", "b", "c")[i % 3] for i in rows],
            "text": [MIXED for _ in rows],
            "guess": [("A", "one")[i % 2] for i in rows],
            "options": [LETTERED if i % 2 else f"one {i} | two {i} | {i}" for i in rows],
        }
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    label = {
        "choices": [],
        "choices_from": ["options"],
        "question": "Which one?",
        "instructions": "Look at **all** of them.\n\n- first",
        "show": {"text": "text"},
    }
    with serve_pool(tmp_path_factory.mktemp("own"), pool(), label=label) as running:
        yield running


def number(item: str) -> int:
    return int(item.removeprefix("x"))


def test_a_letter_answers_with_itself_and_tools_move_to_alt_where_letters_are_choices(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("ann")) as ann:
        page, told, skipped = ann.page, {}, ""
        keys = list("abjs")
        while keys:
            i = number(ann.wait_for_item())
            is_lettered = i % 2 == 1
            expect(page.locator("#skip kbd")).to_have_text("Alt s" if is_lettered else "s")
            if is_lettered:
                key = keys.pop()
                told[ann.answer(key)] = key.upper()
            else:
                told[ann.answer("2")] = f"two {i}"
        lines = page.locator(".shown-text").evaluate(
            "(part) => [getComputedStyle(part).unicodeBidi, getComputedStyle(part).textAlign]"
        )
        assert lines == ["plaintext", "start"]
        is_lettered = number(ann.wait_for_item()) % 2 == 1
        skipped = ann.answer("Alt+s" if is_lettered else "s")
        ann.wait_until_saved()
        assert server.answers("ann") == told
        assert skipped not in told


def test_the_question_is_asked_attributes_are_hidden_and_all_is_in_reach_of_a_thumb(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("bea"), **PHONE) as bea:
        page = bea.page
        while number(item := bea.wait_for_item()) % 2:
            bea.answer("Alt+s")
        expect(page.locator("#question")).to_have_text("Which one?")
        expect(page.locator("#instructions strong")).to_have_text("all")
        assert "sex" not in page.locator("#item").inner_text()
        i = number(item)
        choices = page.locator("#choices .choice span")
        expect(choices).to_have_text([f"one {i}", f"two {i}", str(i)])
        for name in ("#choices", ".tools"):
            box = page.locator(name).bounding_box()
            assert box is not None
            assert 844 / 3 <= box["y"] <= box["y"] + box["height"] <= 844
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        faults = Axe().run(page).response["violations"]
        assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
        page.locator(".choice").nth(1).click()
        bea.wait_for_item(other_than=item)
        bea.wait_until_saved()
        assert server.answers("bea") == {item: f"two {i}"}
        refused = page.evaluate(
            "(id) => Web.call('/api/tell', { answers: [{ id, label: 'no' }] })"
            ".catch((error) => error.message)",
            bea.item,
        )
        assert "must be one of" in refused
        bea.forgive("400")
