"""The surface in a browser: every view, by keyboard, on a phone, fresh as labels come."""

import re
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, Page, expect
from visiting import PHONE, visit

import accuracy_assay as aa
from accuracy_assay.exploration.goals import GOALS

VIEWS = [
    "slices",
    "heat",
    "marginals",
    "worst",
    "arms",
    "instances",
    "progress",
    "time",
    "compare",
]
MODES = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": PHONE}
TITLE = "#view-title"


def pool(n_rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], n_rows)
    band = rng.choice(["low", "mid", "top"], n_rows)
    chance = np.where(band == "low", 0.95, 0.6)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
            "band": band,
            "text": [f"<b>animal {i}</b>" for i in range(n_rows)],
            "guess": np.where(rng.random(n_rows) < chance, truth, "cat"),
            "other": rng.choice(["cat", "dog"], n_rows),
            "truth": truth,
        }
    )


def tell(server: PageServer, first: int, last: int) -> None:
    rows = pool()[first:last]
    with aa.Assay.open(server.store) as assay:
        assay.tell(rows["id"], rows["truth"], annotator="ann")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    services = [{"name": "reader", "column": "guess"}, {"name": "<i>rival", "column": "other"}]
    folder = tmp_path_factory.mktemp("surface")
    label = {"show": {"text": "text"}}
    with serve_pool(folder, pool(), "--no-token", service=services, label=label) as running:
        tell(running, 0, 120)
        yield running


def wait(page: Page) -> None:
    """Wait until the view is drawn."""
    expect(page.locator("#drawing")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#drawing > *").first).to_be_visible()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("mode", MODES)
def test_every_view_is_drawn_without_a_serious_fault(
    server: PageServer, browser: Browser, view: str, mode: str
) -> None:
    with visit(browser, f"{server.url}/surface?view={view}", **MODES[mode]) as visitor:
        page = visitor.page
        wait(page)
        faults = Axe().run(page).response["violations"]
        assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0
        assert page.evaluate("document.documentElement.dataset.theme") == (
            "dark" if mode == "dark" else "light"
        )
        expect(page.locator("nav.views [aria-current=page]")).to_have_count(1)


def test_the_keyboard_leads_from_a_box_to_its_arms_and_their_instances(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=heat&rows=sex&columns=band") as visitor:
        page = visitor.page
        wait(page)
        page.locator("#heat button").first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        expect(page.locator(":focus")).to_have_attribute("aria-label", pattern("sex m, band mid;"))
        expect(page.locator("#tip")).to_contain_text("sex m, band mid")
        page.keyboard.press("Enter")
        expect(page.locator(TITLE)).to_have_text("All arms")
        expect(page.locator(TITLE)).to_be_focused()
        expect(page.locator("#shown")).to_contain_text("1 of 1 arms shown")
        page.locator(".arms td a").focus()
        page.keyboard.press("Enter")
        expect(page.locator(TITLE)).to_have_text("Instances")
        expect(page.locator(".instances tbody tr").first).to_be_visible()
        assert page.locator(".instances td.what").first.inner_text().startswith("<b>animal")
        page.go_back()
        expect(page.locator(TITLE)).to_have_text("All arms")


def pattern(text: str) -> re.Pattern[str]:
    """Return what a text that begins so matches."""
    return re.compile(f"^{re.escape(text)}")


def test_a_link_reproduces_the_view_and_the_files_are_of_it(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=arms") as visitor:
        page = visitor.page
        wait(page)
        page.get_by_label("Search arms").fill("low")
        expect(page.locator("#shown")).to_contain_text("2 of 2 arms shown")
        page.get_by_role("button", name="labels").click()
        expect(page.locator("th[aria-sort=ascending]")).to_have_text("labels")
        page.get_by_label("sex", exact=True).select_option("sex f")
        expect(page.locator("#shown")).to_contain_text("1 of 1 arms shown")
        address, drawn = page.url, page.locator("#drawing").inner_text()
        table = page.request.get(f"{server.url}{page.locator('#csv').get_attribute('href')}")
        rows = pl.read_csv(table.body())
        assert rows.select("sex", "band").rows() == [("f", "low")]
        picture = page.request.get(f"{server.url}{page.locator('#png').get_attribute('href')}")
        assert picture.body().startswith(b"\x89PNG")
    with visit(browser, address) as visitor:
        wait(visitor.page)
        expect(visitor.page.locator("#drawing")).to_have_text(drawn, use_inner_text=True)


def test_a_mix_of_ones_own_moves_the_numbers(server: PageServer, browser: Browser) -> None:
    with visit(browser, f"{server.url}/surface?view=marginals") as visitor:
        page = visitor.page
        wait(page)
        before = page.locator("#drawing .head").inner_text()
        page.get_by_label("Averaged over").select_option("a mix of my own")
        page.get_by_label("Also weight by").select_option("band")
        inputs = page.locator("#own input[data-text^='band:']")
        for k, weight in enumerate(["1", "0", "0"]):
            inputs.nth(k).fill(weight)
            inputs.nth(k).press("Tab")
        expect(page.locator("#drawing .head")).not_to_have_text(before)
        expect(page.get_by_role("button", name="filter by band mid")).to_have_count(0)
        assert "weight=band%3Amid%3A0" in page.url


def test_a_new_label_shows_without_reloading_or_losing_the_place(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=heat&rows=sex&columns=band") as visitor:
        page = visitor.page
        wait(page)
        page.evaluate("window.isSame = true")
        labels = page.locator("#tiles > div").nth(1).locator("dd").first
        before = int(labels.inner_text())
        page.locator("#heat button").first.focus()
        page.keyboard.press("ArrowRight")
        tell(server, before, before + 5)
        expect(labels).to_have_text(str(before + 5))
        expect(page.locator("#fresh")).to_have_text("updated just now")
        expect(page.locator(":focus")).to_have_attribute("aria-label", pattern("sex f, band mid;"))
        assert page.evaluate("window.isSame")
    with visit(browser, f"{server.url}/surface?view=progress") as visitor:
        wait(visitor.page)


def test_a_value_that_is_not_there_is_said_in_words(server: PageServer, browser: Browser) -> None:
    with visit(browser, f"{server.url}/surface?view=heat&where=sex:none") as visitor:
        visitor.forgive("400")
        expect(visitor.page.locator("#trouble")).to_contain_text(
            "value of attribute 'sex' must be"
        )


def test_what_labels_are_chosen_for_is_said_beside_the_budget(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=progress") as visitor:
        page = visitor.page
        wait(page)
        expect(page.locator(".facts-line")).to_contain_text("of a budget of")
        expect(page.locator(".facts-line")).to_contain_text("chosen")
        page.locator(".goals summary").click()
        for name in ("overall", "surface", "worst", "mix", "compare"):
            expect(page.locator(".goals")).to_contain_text(name)
            expect(page.locator(".goals")).to_contain_text(GOALS[name])
