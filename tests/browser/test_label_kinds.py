"""What the Label page asks: own choices, several labels, numbers, passages, and the question."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, expect
from visiting import PHONE, Visitor, visit

WORDS = "The cat sat on the mat and the dog looked on."


def pool() -> pl.DataFrame:
    rows = range(40)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in rows],
            "sex": [("f", "m")[i % 2] for i in rows],
            "band": [("a", "b", "c")[i % 3] for i in rows],
            "text": [WORDS for _ in rows],
            "options": [f"{i} | {i + 1} | {i + 2}" for i in rows],
            "guess": [str(i) for i in rows],
        }
    )


@contextmanager
def labelling(
    folder: Path, browser: Browser, options: dict[str, Any], **label: Any
) -> Iterator[tuple[PageServer, Visitor]]:
    shown = {"choices": [], "show": {"text": "text"}, **label}
    with (
        serve_pool(folder, pool(), "--no-token", label=shown) as running,
        visit(browser, running.url, **options) as visitor,
    ):
        yield running, visitor


def told(server: PageServer, page: Any) -> dict[str, str]:
    return server.answers(page.locator("#who").inner_text())


def test_the_question_is_asked_attributes_are_hidden_and_all_is_in_reach_of_a_thumb(
    tmp_path: Path, browser: Browser
) -> None:
    asked = {"question": "Which number?", "instructions": "Look at **all** of them.\n\n- first"}
    with labelling(tmp_path, browser, PHONE, choices_from=["options"], **asked) as (
        server,
        visitor,
    ):
        page = visitor.page
        item = visitor.wait_for_item()
        expect(page.locator("#question")).to_have_text("Which number?")
        expect(page.locator("#instructions strong")).to_have_text("all")
        assert "sex" not in page.locator("#item").inner_text()
        first = int(item.removeprefix("x"))
        choices = page.locator("#choices .choice span")
        expect(choices).to_have_text([str(first + k) for k in range(3)])
        for name in ("#choices", ".tools"):
            box = page.locator(name).bounding_box()
            assert box is not None
            assert 844 / 3 <= box["y"] <= box["y"] + box["height"] <= 844
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        faults = Axe().run(page).response["violations"]
        assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
        page.locator(".choice").nth(1).click()
        visitor.wait_for_item(other_than=item)
        visitor.wait_until_saved()
        assert told(server, page) == {item: str(first + 1)}
        refused = page.evaluate(
            "(id) => Web.call('/api/tell', { answers: [{ id, label: 'no' }] })"
            ".catch((error) => error.message)",
            visitor.item,
        )
        assert "must be one of" in refused
        visitor.forgive("400")


def test_several_labels_are_saved_together_in_the_order_of_the_choices(
    tmp_path: Path, browser: Browser
) -> None:
    with labelling(
        tmp_path, browser, {}, choices=["cat", "dog", "mat"], answer="several", agreement="overlap"
    ) as (
        server,
        visitor,
    ):
        page, item = visitor.page, visitor.wait_for_item()
        page.keyboard.press("Enter")
        expect(page.locator("#saved")).to_contain_text("choose at least one")
        for key in "213":
            page.keyboard.press(key)
        page.keyboard.press("1")
        expect(page.locator(".choice[aria-pressed=true]")).to_have_count(2)
        page.keyboard.press("Enter")
        visitor.wait_for_item(other_than=item)
        visitor.wait_until_saved()
        assert told(server, page) == {item: "dog | mat"}


def test_a_number_is_a_number(tmp_path: Path, browser: Browser) -> None:
    with labelling(tmp_path, browser, {}, answer="number", agreement="absolute:0:100") as (
        server,
        visitor,
    ):
        page, item = visitor.page, visitor.wait_for_item()
        page.keyboard.type("many")
        page.keyboard.press("Enter")
        expect(page.locator("#saved")).to_contain_text("many is not a number")
        page.locator("#free-text").fill("12.5")
        page.keyboard.press("Enter")
        visitor.wait_for_item(other_than=item)
        visitor.wait_until_saved()
        assert told(server, page) == {item: "12.5"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_passages_are_selected_in_the_text_and_highlighted(
    tmp_path: Path, browser: Browser, scheme: Any
) -> None:
    with labelling(
        tmp_path, browser, {"color_scheme": scheme}, answer="passages", agreement="overlap"
    ) as (server, visitor):
        page, item = visitor.page, visitor.wait_for_item()
        for word in ("cat sat", "dog"):
            page.locator(".shown-text").evaluate(SELECT, word)
        expect(page.locator(".shown-text mark")).to_have_text(["cat sat", "dog"])
        faults = Axe().run(page).response["violations"]
        assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
        page.get_by_role("button", name="Remove dog").click()
        page.locator("#save").click()
        visitor.wait_for_item(other_than=item)
        visitor.wait_until_saved()
        assert told(server, page) == {item: "cat sat"}


SELECT = """(part, word) => {
  const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const at = node.textContent.indexOf(word);
    if (at < 0) continue;
    getSelection().setBaseAndExtent(node, at, node, at + word.length);
    part.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    return;
  }
}"""
"""Select a word as a pointer does: a range, and the button let go."""
