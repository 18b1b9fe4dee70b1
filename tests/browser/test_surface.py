"""The surface in a browser: every view, by keyboard, on a phone, fresh as labels come."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, Locator, Page, Route, expect
from visiting import PHONE, Visitor, visit

import accuracy_assay as aa
from accuracy_assay.exploration.goals import GOALS
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.verdict import verdict

VIEWS = ["slices", "heat", "marginals", "attributes", "worst", "arms", "instances", "progress"]
VIEWS += ["compare", "then", "time", "slices&open=band:mid", "heat&open=sex:m&open=band:mid"]
MODES = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": PHONE}
STACKED = ("slices", "marginals", "instances", "then", "compare")
"""Views whose tables have no scroll bar on a phone."""
TITLE = "#view-title"


def pool(n_rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], n_rows)
    band = rng.choice(["low", "mid", "top"], n_rows)
    chance = np.select([band == "low", band == "mid"], [0.95, 0.2], 0.6)
    wrong = np.where(truth == "cat", "dog", "cat")
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
            "band": band,
            "text": [f"<b>animal {i}</b>{' and a long tail' * 40}" for i in range(n_rows)],
            "guess": np.where(rng.random(n_rows) < chance, truth, wrong),
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


@pytest.fixture(scope="module")
def windows(server: PageServer, browser: Browser) -> Iterator[dict[str, Visitor]]:
    """One window per mode, for all views."""
    with ExitStack() as stack:
        yield {
            mode: stack.enter_context(visit(browser, f"{server.url}/surface", **options))
            for mode, options in MODES.items()
        }


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("mode", MODES)
def test_every_view_is_drawn_without_a_serious_fault(
    server: PageServer, windows: dict[str, Visitor], view: str, mode: str
) -> None:
    page = windows[mode].page
    page.goto(f"{server.url}/surface?view={view}")
    wait(page)
    faults = Axe().run(page).response["violations"]
    assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate("document.documentElement.dataset.theme") == (
        "dark" if mode == "dark" else "light"
    )
    expect(page.locator("nav.views [aria-current=page]")).to_have_count(1)
    if mode == "phone" and view in STACKED:
        expect(page.locator("#drawing table").first).to_be_visible()
        beyond = page.locator("#drawing table").evaluate_all(
            "(tables) => tables.filter((t) => t.getBoundingClientRect().right > innerWidth)"
            ".map((t) => t.caption?.textContent ?? t.className)"
        )
        assert beyond == []
    page.goto("about:blank")  # a page that is left asks for nothing more
    windows[mode].check()


def test_the_keyboard_leads_from_a_box_to_its_examples_arms_and_instances(
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
        expect(page.locator(".examples")).to_be_focused()
        page.get_by_role("link", name="Its arms").focus()
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
        expect(page.locator(".facts-line")).to_contain_text("of the budget of")
        expect(page.locator(".facts-line")).to_contain_text("chosen")
        page.locator(".goals summary").click()
        for name in ("overall", "surface", "worst", "mix", "compare"):
            expect(page.locator(".goals")).to_contain_text(name)
            expect(page.locator(".goals")).to_contain_text(GOALS[name])


def test_the_page_opens_with_the_verdict_that_all_outputs_give(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface") as visitor:
        page = visitor.page
        wait(page)
        said = page.locator("#verdict").inner_text()
        with aa.Assay.open(server.store) as assay:
            assert said == verdict(Report("", assay.surface("reader")))
        top = page.locator("#verdict").bounding_box()
        tiles = page.locator("#tiles").bounding_box()
        assert top is not None
        assert tiles is not None
        assert top["y"] < tiles["y"]


def test_a_slice_opens_in_place_and_its_link_shows_the_same_example(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface") as visitor:
        page = visitor.page
        wait(page)
        page.locator(".slices .opener").first.click()
        steps, facts = page.locator(".examples .steps"), page.locator(".facts-of")
        expect(page.locator(".examples")).to_be_focused()
        expect(steps).to_contain_text("1 of ")
        expect(facts).to_contain_text("wrong")  # what went wrong comes first
        expect(page.locator(".rests")).to_contain_text("labels, and")
        first = facts.inner_text()
        page.keyboard.press("ArrowRight")
        expect(steps).to_contain_text("2 of ")
        second, address = facts.inner_text(), page.url
        assert second != first
        page.keyboard.press("ArrowLeft")
        expect(steps).to_contain_text("1 of ")
        page.goto(address)
        wait(page)
        expect(steps).to_contain_text("2 of ")
        expect(facts).to_have_text(second, use_inner_text=True)
        facts.get_by_role("link").click()
        expect(page.locator(".whole-item")).to_contain_text("It is")
        page.go_back()
        expect(steps).to_contain_text("2 of ")
        page.get_by_role("link", name="In the heat map").click()
        expect(page.locator(TITLE)).to_have_text("Two attributes")


def test_an_arm_that_is_chosen_is_marked_in_the_heat_map_and_has_its_own_examples(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=slices&open=band:mid") as visitor:
        page = visitor.page
        wait(page)
        steps = page.locator(".examples .steps")
        expect(steps).to_contain_text("1 of ")
        every = int(steps.inner_text().split(" of ")[1].split()[0])
        page.get_by_role("link", name="In the heat map").click()
        expect(page.locator(TITLE)).to_have_text("Two attributes")
        marked = page.locator("#heat .marked")
        expect(marked).to_have_count(2)
        chip = page.locator(".chip").first
        chip.click()
        expect(chip).to_be_focused()
        expect(chip).to_have_attribute("aria-pressed", "true")
        expect(marked).to_have_count(1)
        sex = chip.inner_text().rpartition(" ")[0]
        box = marked.get_attribute("aria-label")
        assert box is not None
        assert box.startswith((f"band mid, {sex};", f"{sex}, band mid;"))
        expect(steps).not_to_contain_text(f" of {every}")
        address, facts = page.url, page.locator(".facts-of").inner_text()
        page.goto(address)
        wait(page)
        expect(marked).to_have_count(1)
        expect(page.locator(".facts-of")).to_have_text(facts, use_inner_text=True)
        page.locator(".chip[aria-pressed=true]").click()
        expect(marked).to_have_count(2)


def test_services_come_with_a_stage_and_its_time_until_they_are_fitted(
    server: PageServer, browser: Browser
) -> None:
    stage = {
        "first_look": [
            {"service": "reader", "share": 0.7, "labels": 120},
            {"service": "<i>rival", "share": 0.5, "labels": 120},
        ],
        "places": [],
        "pair": None,
        "is_behind": True,
        "seconds": 12.3,
    }
    with visit(browser, f"{server.url}/surface?view=slices") as visitor:
        page = visitor.page
        wait(page)
        is_first = [True]  # until the first stage was read

        def answer(route: Route) -> None:
            found = route.fetch().json()
            route.fulfill(json={**found, **stage} if is_first[0] else found)

        page.route("**/api/surface/compare?*", answer)
        page.get_by_role("link", name="Services", exact=True).click()
        drawing = page.locator("#drawing")
        expect(drawing).to_contain_text("Stage 1 of 2. The plain share of the labels")
        expect(drawing).to_contain_text("being computed; 12 s so far")
        expect(page.locator("#drawing tbody tr").first).to_contain_text("reader70.0%120")
        is_first[0] = False
        expect(page.locator(".places tbody tr")).to_have_count(2)
        expect(drawing).not_to_contain_text("being computed")
        services = page.locator(".places tbody th")
        ranked = services.all_inner_texts()
        assert page.locator(".places tbody td.num").first.inner_text().startswith("1")
        page.locator(".places").get_by_role("button", name="Service", exact=True).click()
        expect(services).to_have_text(sorted(ranked, key=str.lower))


def test_an_interval_says_what_it_rests_on(server: PageServer, browser: Browser) -> None:
    def leaning(route: Route) -> None:
        """Answer as if the fit had leaned on a free signal, as the default estimator does."""
        found = route.fetch().json()
        found["about"]["leans"] = ["its confidence"]
        route.fulfill(json=found)

    with visit(browser, f"{server.url}/surface") as visitor:
        page = visitor.page
        wait(page)
        page.route("**/api/surface/instances?*", leaning)
        page.get_by_role("button", name="band = mid").click()
        rests = page.locator(".rests")
        expect(rests).to_have_text(
            re.compile(
                r"^\d+%, between \d+ and \d+%: from \d+ labels, and its confidence"
                r" on the other \d+ rows\.$"
            )
        )


def test_two_states_of_the_surface_stand_side_by_side(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=then") as visitor:
        page = visitor.page
        wait(page)
        said = page.locator("#shown")
        expect(said).to_contain_text("labels. Now: ")
        row = page.locator(".states tbody tr").first
        expect(row.locator(".iv.was")).to_have_count(1)
        expect(row.locator(".iv:not(.was)")).to_have_count(1)
        page.locator("[data-key=now]").fill("2100-01-01T00:00")
        expect(said).to_contain_text("At 2100-01-01 00:00: ")
        assert "now=2100-01-01T00" in page.url


def test_instances_are_readable_and_those_that_went_wrong_come_first(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, f"{server.url}/surface?view=instances") as visitor:
        page = visitor.page
        wait(page)
        text = page.locator(".instances td.what").first
        width, em, height = text.evaluate(
            "(cell) => { const size = parseFloat(getComputedStyle(cell).fontSize);"
            " return [cell.clientWidth, size, cell.querySelector('.clamped').clientHeight]; }"
        )
        assert width >= 28 * em
        assert height <= 3 * 1.6 * em + 1
        text.get_by_role("button", name="more").click()
        assert text.locator(".clamped").evaluate("(part) => part.clientHeight") > height
        assert text.locator(".clamped").evaluate("(p) => getComputedStyle(p).unicodeBidi") == (
            "plaintext"
        )
        said = page.locator(".instances tbody tr").evaluate_all(
            "(rows) => rows.map((r) => r.querySelector('[data-label=reader] small').textContent)"
        )
        assert said == sorted(said, key=["wrong", "right"].index)
        assert "wrong" in said
        expect(page.locator(".instances thead")).not_to_contain_text("<i>rival")
        page.get_by_label("Answers of").select_option("all 2 services")
        expect(page.locator(".instances thead")).to_contain_text("<i>rival")
        colours = [
            page.locator(name).evaluate("(link) => getComputedStyle(link).color")
            for name in ("#csv", "#png", "#link")
        ]
        assert len(set(colours)) == 1


def test_label_and_surface_count_the_budget_alike(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.url) as visitor:
        page = visitor.page
        visitor.wait_for_item()
        expect(page.locator("#progress-text")).to_contain_text("of the budget of 250 used or held")
        page.get_by_role("link", name="Surface").click()
        wait(page)
        spent = page.request.get(f"{server.url}/api/status").json()["spent"]
        expect(page.locator("#tiles")).to_contain_text(f"{spent:g} of the budget of 250 used")


def test_a_view_is_saved_as_a_page_that_stands_alone(
    server: PageServer, browser: Browser, tmp_path: Path
) -> None:
    with visit(browser, f"{server.url}/surface?view=attributes") as visitor:
        page = visitor.page
        wait(page)
        with page.expect_download() as download:
            page.get_by_role("link", name="Save as a page").click()
        download.value.save_as(tmp_path / "saved.html")
        said = page.locator("#verdict").inner_text()
    opened = browser.new_page()
    opened.goto((tmp_path / "saved.html").as_uri())
    expect(opened.locator(".verdict")).to_have_text(said)
    faults = Axe().run(opened).response["violations"]
    assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
    opened.close()


def test_a_newcomer_finds_where_it_fails_two_examples_of_it_and_the_next_command(
    server: PageServer, browser: Browser
) -> None:
    """The walk of someone who has never seen the page, within a minute of reading and acting.

    They go by what they read alone, need not scroll before they act, and act three times. A minute
    is 40 s for what they read, at 200 words a minute, and 20 s for the rest.
    """
    read: list[str] = []

    def reading(part: Locator) -> str:
        box = part.bounding_box()
        assert box is not None
        read.append(part.inner_text())
        return read[-1]

    with visit(browser, f"{server.url}/surface", viewport={"width": 1280, "height": 800}) as anew:
        page = anew.page
        wait(page)
        verdict_words = reading(page.locator("#verdict"))
        (worst,) = re.findall(r"Fails most on (\w+) (\w+) \(", verdict_words)
        assert reading(page.locator("#next code")) == "assay label STORE"
        for part in ("#verdict", "#next", "nav.views", "#view-title"):
            box = page.locator(part).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 800
        slice_row = page.locator(".slices tbody tr").first
        assert reading(slice_row).startswith(" = ".join(worst))
        slice_row.get_by_role("button").click()  # the only one in the row
        examples = page.locator(".facts-of")
        expect(examples).to_contain_text("reader said")
        first = reading(examples)
        page.keyboard.press("ArrowRight")  # as the button beside the example says
        expect(page.locator(".examples .steps")).to_contain_text("2 of ")
        second = reading(examples)
        assert "wrong" in first
        assert "wrong" in second
        assert second != first
        assert sum(len(text.split()) for text in read) <= 40 * 200 / 60
        page.locator("#next").get_by_role("link", name="Label more").click()
        anew.wait_for_item()


def test_a_new_version_is_a_line_over_time_and_times_of_one_day_are_of_the_clock(
    browser: Browser, tmp_path: Path
) -> None:
    service = {"name": "reader", "column": "guess"}
    truth = dict(pool()[["id", "truth"]].iter_rows())
    with serve_pool(
        tmp_path, pool(), "--no-token", service=[{**service, "version": "v1"}]
    ) as server:
        with aa.Assay.open(server.store) as assay:
            for version in ("v1", "v2"):
                assay.edit({"service": [{**service, "version": version}]})
                ids = assay.ask(60, annotator="ann")["id"].to_list()
                for at in range(0, 60, 20):
                    some = ids[at : at + 20]
                    assay.tell(some, [truth[i] for i in some], annotator="ann")
        with visit(browser, f"{server.url}/surface?view=time") as visitor:
            page = visitor.page
            wait(page)
            mark = page.locator(".version-mark").first
            expect(mark).to_have_attribute("data-tip", pattern("version v2\nsince 20"))
            expect(page.locator(".version-name")).to_have_text("v2")
            expect(page.locator(".time-curve svg").first).to_contain_text(re.compile(r"\d\d:\d\d"))
            order = page.get_by_label("Order rows by")
            expect(order).to_have_attribute("placeholder", "time of the label")
