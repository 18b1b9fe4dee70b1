"""What the Label page asks for: texts, several labels, numbers and passages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from axe_playwright_python.sync_playwright import Axe
from page_server import PageServer, serve_here
from playwright.sync_api import Browser, expect
from visiting import Visitor, visit

WORDS = "The cat sat on the mat and the dog looked on."


def pool() -> pl.DataFrame:
    rows = range(40)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in rows],
            "sex": [("f", "m")[i % 2] for i in rows],
            "band": [("a", "b", "c")[i % 3] for i in rows],
            "text": [WORDS for _ in rows],
            "guess": ["United States" for _ in rows],
        }
    )


@contextmanager
def labelling(
    folder: Path, browser: Browser, options: dict[str, Any], **label: Any
) -> Iterator[tuple[PageServer, Visitor]]:
    shown = {"choices": [], "show": {"text": "text"}, **label}
    with (
        serve_here(folder, pool(), label=shown) as running,
        visit(browser, running.url, **options) as visitor,
    ):
        yield running, visitor


def told(server: PageServer, page: Any) -> dict[str, str]:
    return server.answers(page.locator("#who").inner_text())


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
        expect(page.locator("#wrong")).to_have_text("Choose at least one, or skip.")
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
        expect(page.locator("#wrong")).to_have_text("many is not a number.")
        page.locator("#free-text").fill("12.5")
        page.keyboard.press("Enter")
        visitor.wait_for_item(other_than=item)
        expect(page.locator("#wrong")).to_be_hidden()
        visitor.wait_until_saved()
        assert told(server, page) == {item: "12.5"}


def test_a_text_is_typed_and_compared_with_tolerance(tmp_path: Path, browser: Browser) -> None:
    with labelling(tmp_path, browser, {}, agreement="tolerant") as (server, visitor):
        page, said = visitor.page, {}
        for text in ("  united   STATES.", "USA | United States", "Estonia"):
            item = visitor.wait_for_item()
            page.keyboard.type(text)  # its s types, and skips nothing
            expect(page.locator("#free-text")).to_have_value(text)
            page.keyboard.press("Enter")
            visitor.wait_for_item(other_than=item)
            said[item] = text
        visitor.wait_until_saved()
        assert told(server, page) == {item: text.strip() for item, text in said.items()}
        skipped = visitor.item
        page.keyboard.press("Alt+s")
        visitor.wait_for_item(other_than=skipped)
        page.goto(f"{server.url}/surface?view=instances")
        rows = page.locator(".instances tbody tr")
        expect(rows).to_have_count(3)
        marks = rows.evaluate_all(
            "(all) => all.map((r) => [r.querySelector('th').textContent,"
            " r.querySelector('[data-label=reader] small').textContent])"
        )
        assert dict(marks) == {
            item: "wrong" if text == "Estonia" else "right" for item, text in said.items()
        }


def test_passages_are_selected_in_the_text_and_highlighted(
    tmp_path: Path, browser: Browser
) -> None:
    with labelling(tmp_path, browser, {}, answer="passages", agreement="overlap") as (
        server,
        visitor,
    ):
        page, item = visitor.page, visitor.wait_for_item()
        for word in ("cat sat", "dog"):
            page.locator(".shown-text").evaluate(SELECT, word)
        expect(page.locator(".shown-text mark")).to_have_text(["cat sat", "dog"])
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
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
