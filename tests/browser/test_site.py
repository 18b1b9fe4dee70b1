"""The documentation as a site: where one lands, what search finds first, no other host."""

import functools
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from visiting import PHONE, visit

pytestmark = pytest.mark.slow  # it builds the whole site

ROOT = Path(__file__).parents[2]
MODES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "tablet": {"viewport": {"width": 1024, "height": 768}},
    "phone": PHONE,
}
TALLEST = 12_000
"""Pixels of a page: one that is longer is cut."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]
    subprocess.run([*command, str(site)], cwd=ROOT, check=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("mode", MODES)
def test_one_lands_on_install_thirty_seconds_and_three_routes(
    address: str, browser: Browser, mode: str
) -> None:
    with visit(browser, f"{address}/index.html", **MODES[mode]) as visitor:
        page = visitor.page
        titles = page.locator("article h2").evaluate_all(
            "(all) => all.map((h) => h.firstChild.data)"
        )
        assert titles[:3] == ["Install", "Thirty seconds", "Three routes"]
        expect(page.locator("article")).to_contain_text("pip install accuracy-assay")
        scheme = "slate" if mode == "dark" else "default"
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", scheme)
        picture = page.locator("article img").first
        assert picture.evaluate("(img) => img.decode().then(() => img.naturalWidth)") > 400
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        faults = Axe().run(page).response["violations"]
        assert [f["id"] for f in faults if f["impact"] == "critical"] == []


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("weak slices", "how-to/find-weak-slices.html"),
        ("gate", "how-to/gate-a-release.html"),
        ("judge", "how-to/you-have-an-llm-judge.html"),
        ("watch", "how-to/watch-a-service.html"),
    ],
)
def test_search_finds_how_tos_before_decisions(
    address: str, browser: Browser, asked: str, found: str
) -> None:
    with visit(browser, f"{address}/index.html") as visitor:
        page = visitor.page
        page.keyboard.press("/")
        page.locator(".md-search__input").fill(asked)
        results = page.locator(".md-search-result__item > .md-search-result__link")
        expect(results.first).to_be_visible()
        links = [
            str(link).split("?")[0]
            for link in results.evaluate_all("(all) => all.map((a) => a.href)")
        ]
        assert links[0].endswith(found), links[:5]
        decisions = [k for k, link in enumerate(links) if "/decisions/" in link]
        how_tos = [k for k, link in enumerate(links) if "/how-to/" in link]
        assert not decisions or how_tos[0] < decisions[0]


def test_no_page_is_endless_and_each_leads_to_the_next(address: str, browser: Browser) -> None:
    with visit(browser, f"{address}/index.html") as visitor:
        page = visitor.page
        links = page.locator("nav.md-nav--primary a[href]").evaluate_all(
            "(all) => [...new Set(all.map((a) => a.href.split('#')[0]))]"
        )
        assert len(links) > 100  # with the parts of long references
        for name in ("results.html", "api.html", "cli.html", "architecture.html"):
            page.goto(f"{address}/{name}")
            assert page.evaluate("document.documentElement.scrollHeight") < TALLEST, name
            expect(page.locator(".md-footer__link--next")).to_have_count(1)
            expect(page.locator(".md-footer__link--prev")).to_have_count(1)
        first = page.locator("article img").first
        assert first.evaluate("(img) => img.decode().then(() => img.clientWidth)") > 400
        above = page.locator("article p:not(:has(img))").first.bounding_box()
        drawn = first.bounding_box()
        assert above is not None
        assert drawn is not None
        assert drawn["y"] < above["y"]  # the architecture opens with its picture
        page.goto(f"{address}/how-to/gate-a-release.html")
        groups = page.locator("nav.md-nav--primary .md-nav__item--section > .md-nav__link")
        named = {text.strip() for text in groups.all_text_contents()}
        assert {"Start", "Describe your data", "Decide", "Label with people"} <= named
