"""The view of a judge: what it may decide, in every mode, and the form that asks otherwise."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from certified_world import certified_world
from page_server import PageServer, serve_here
from playwright.sync_api import Browser, Page, expect
from visiting import PHONE, visit

import accuracy_assay as aa

N_LABELS = 500
MODES = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": PHONE}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    rows = certified_world(np.random.default_rng(0), labels=N_LABELS)
    rows = rows.drop("right").with_columns(said=pl.lit("right"))
    sections = {
        "attribute": [{"name": "topic"}, {"name": "length"}],
        "service": [{"name": "own", "column": "said"}],
        "judge": [{"name": "llm", "column": "llm"}],
        "label": {"choices": ["right", "wrong"], "show": {"text": "id"}},
    }
    folder = tmp_path_factory.mktemp("judged")
    with serve_here(folder, rows.drop("truth"), **sections) as running:
        told = rows.head(N_LABELS)
        with aa.Assay.open(running.store) as assay:
            labels = ["right" if right else "wrong" for right in told["truth"]]
            assay.tell(told["id"], labels, annotator="ann")
        yield running


def wait(page: Page) -> None:
    expect(page.locator("#drawing")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#judge-says")).to_be_visible()


@pytest.mark.parametrize("mode", MODES)
def test_the_view_is_drawn_without_a_serious_fault(
    server: PageServer, browser: Browser, mode: str
) -> None:
    address = f"{server.url}/surface?view=judge&tolerance=0.05"
    with visit(browser, address, **MODES[mode]) as visitor:
        page = visitor.page
        wait(page)
        expect(page.locator(".judged tbody tr").first).to_contain_text("everything")
        faults = Axe().run(page).response["violations"]
        assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_form_certifies_something_else(server: PageServer, browser: Browser) -> None:
    with aa.Assay.open(server.store) as assay:
        level = assay.certify(tolerance=0.2)
        decisions = assay.certify(tolerance=0.2, statement="decisions")
    with visit(browser, f"{server.url}/surface") as visitor:
        page = visitor.page
        page.get_by_role("link", name="Judge or people").click()
        wait(page)
        page.get_by_label("to within, points").fill("20")
        page.get_by_label("to within, points").press("Enter")
        expect(page.locator("#judge-says")).to_have_text(level.remarks()[0])
        page.get_by_label("Certify that").select_option("decisions")
        expect(page.locator("#judge-says")).to_have_text(decisions.remarks()[0])
        assert "tolerance=0.2" in page.url
        page.reload()
        expect(page.locator("#judge-says")).to_have_text(decisions.remarks()[0])
