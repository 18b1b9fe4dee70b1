"""The surface of a wide assay: twelve attributes, long texts, a seed set, 29 services."""

import re
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from page_server import PageServer, serve_here
from playwright.sync_api import Browser, Page, Route, expect
from visiting import PHONE, visit

import accuracy_assay as aa

N_ROWS, N_SEED, N_LABELS = 240, 40, 80
ATTRIBUTES = [f"trait_{k}" for k in range(11)]
GROUPS = [f"a_group_with_a_name_of_many_words_{k}" for k in range(5)]
SERVICES = ["reader", "rival"]
N_SERVICES = 29


def made() -> pl.DataFrame:
    """Return rows whose services err where the first two traits meet, and in late groups."""
    rng = np.random.default_rng(0)
    traits = {name: rng.choice(["no", "yes"], N_ROWS, p=[0.8, 0.2]) for name in ATTRIBUTES}
    group = rng.integers(0, len(GROUPS), N_ROWS)
    is_hard = (traits["trait_0"] == "yes") == (traits["trait_1"] == "yes")
    truth = rng.choice(["cat", "dog"], N_ROWS)
    wrong = np.where(truth == "cat", "dog", "cat")
    chance = np.where(is_hard, 0.4, 0.95) - 0.08 * group
    said = {name: np.where(rng.random(N_ROWS) < chance, truth, wrong) for name in SERVICES}
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N_ROWS)],
            **traits,
            "group": np.array(GROUPS)[group],
            "text": ["a long tail of words " * 60] * N_ROWS,
            **said,
            "truth": truth,
        }
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    rows, folder = made(), tmp_path_factory.mktemp("many")
    seed = rows.tail(N_SEED).rename({"truth": "label"})
    seed.write_parquet(folder / "seed.parquet")
    sections = {
        "attribute": [{"name": name} for name in (*ATTRIBUTES, "group")],
        "service": [{"name": name, "column": name} for name in SERVICES],
        "label": {"show": {"text": "text"}},
        "pool": {"seed_set": str(folder / "seed.parquet")},
    }
    pool = rows.head(N_ROWS - N_SEED).drop("truth")
    with serve_here(folder, pool, **sections) as running:
        tell(running, 0, N_LABELS)
        yield running


def tell(server: PageServer, first: int, last: int) -> None:
    rows = made()[first:last]
    with aa.Assay.open(server.store) as assay:
        assay.tell(rows["id"], rows["truth"], annotator="ann")


def wait(page: Page) -> None:
    expect(page.locator("#drawing")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#drawing > *").first).to_be_visible()


def go(page: Page, server: PageServer, view: str) -> None:
    page.goto(f"{server.url}/surface?view={view}")
    wait(page)


def test_arms_begin_with_accuracy_and_are_named_by_what_differs(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=arms") as visitor:
        page = visitor.page
        wait(page)
        heads = page.locator(".arms thead th")
        assert heads.first.inner_text().startswith("accuracy")
        assert heads.nth(1).inner_text() == "estimate"
        expect(page.locator(".arms td.wide").first).to_have_css("position", "sticky")
        named = page.locator(".arms tbody .opener").evaluate_all(
            "(all) => all.map((arm) => arm.textContent)"
        )
        assert named
        assert all(name.count("trait_") < len(ATTRIBUTES) for name in named)
        assert not any(re.search(r"trait_\d+ no", name) for name in named)
        expect(page.locator(".arms tbody")).not_to_contain_text("not in pool")
        expect(page.locator("main")).to_contain_text("named by what differs from the typical")
        filters = page.locator("#question select")
        names = filters.evaluate_all("(all) => all.map((s) => s.ariaLabel)")
        assert names == ["Add filter", "status"]
        page.get_by_label("Add filter").select_option("group")
        page.get_by_label("group", exact=True).select_option(label=f"group {GROUPS[4]}")
        expect(page.locator(".arms tbody tr").first).to_contain_text(GROUPS[4])
        assert f"where=group%3A{GROUPS[4]}" in page.url


def test_one_attribute_is_sorted_and_two_open_on_the_pair_that_explains_most(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=marginals", **PHONE) as visitor:
        page = visitor.page
        wait(page)
        card = page.locator(".multiples .card").filter(has_text="a_group")
        means = [float(text) for text in card.locator("td.num b").all_inner_texts()]
        assert means == sorted(means)
        assert len(means) == len(GROUPS)
        name = card.locator("button").first
        assert name.evaluate("(b) => b.scrollWidth <= b.clientWidth + 1")
        assert card.locator("wbr").count() > 0
        go(page, server, "heat")
        shown = {
            page.locator(f"select[data-key={part}]").input_value() for part in ("rows", "columns")
        }
        go(page, server, "attributes")
        pairs = page.locator("table").nth(1).locator("tbody th")
        assert set(pairs.first.inner_text().split(" \u00d7 ")) == shown == {"trait_0", "trait_1"}


def test_texts_beside_29_services_stay_readable_and_the_page_short(
    server: PageServer, browser: Browser
) -> None:
    def widen(route: Route) -> None:
        """Answer as if there were 29 services; fitting so many is another test's."""
        found = route.fetch().json()
        more = [f"service {k}" for k in range(N_SERVICES - len(SERVICES))]
        found["about"]["services"] += more
        for instance in found["instances"]:
            instance["answers"] |= dict.fromkeys(more, instance["answers"][SERVICES[0]])
        route.fulfill(json=found)

    with visit(browser, f"{server.url}/surface?view=progress") as visitor:
        page = visitor.page
        wait(page)
        page.route("**/api/surface/instances?*", widen)
        go(page, server, "instances&services=all")
        assert page.locator(".instances thead th").count() > N_SERVICES
        assert page.locator(".instances tbody tr").count() == 50
        width, em = page.evaluate(  # at once: what has just been fitted draws the table anew
            "() => { const cell = document.querySelector('.instances td.what');"
            " return [cell.clientWidth, parseFloat(getComputedStyle(cell).fontSize)]; }"
        )
        assert width >= 28 * em
        assert page.evaluate("document.documentElement.scrollHeight") < 6_000


def test_progress_is_in_points_over_whole_labels_and_the_seed_set_stands_still(
    server: PageServer, browser: Browser
) -> None:
    points = [
        {"labels": 760 + 45 * k, "error": 1.0, "typical": 0.1, "overall": 0.02, "slice": 0.08}
        for k in range(3)
    ]

    def fitted(route: Route) -> None:
        """Answer as if three fits had been watched; this estimator expects no error of itself."""
        route.fulfill(json={**route.fetch().json(), "points": points, "ahead": []})

    with visit(browser, f"{server.url}/surface?view=arms") as visitor:
        page = visitor.page
        wait(page)
        page.route("**/api/surface/progress?*", fitted)
        page.route("**/api/surface/progress", fitted)
        go(page, server, "progress")
        page.evaluate(
            "() => { window.seen = []; const note = () => seen.push("
            "document.querySelector('#tiles').textContent); note(); new MutationObserver(note)"
            ".observe(document.querySelector('#tiles'), { childList: true, subtree: true }); }"
        )
        for first in range(N_LABELS, N_LABELS + 15, 5):
            tell(server, first, first + 5)
            labels = page.locator("#tiles > div").nth(1).locator("dd").first
            expect(labels).to_have_text(str(first + 5))
        facts = page.locator(".facts-line")
        expect(facts).to_contain_text("the overall accuracy to \u00b12.0 points")
        expect(facts).to_contain_text("the least known slice to \u00b18.0")
        counts = {re.findall(r"seed set of (\d+)", text)[0] for text in page.evaluate("seen")}
        assert counts == {str(N_SEED)}
        below = page.locator("#curve text[text-anchor=middle]")
        expect(below.first).to_be_visible()
        assert all(text.replace(",", "").isdecimal() for text in below.all_text_contents())
