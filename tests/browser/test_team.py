"""Leading a team in a browser, with names, texts and answers as hostile as they come."""

from collections.abc import Iterator

import httpx
import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_server import PageServer, serve_pool
from patience import PATIENCE_S
from playwright.sync_api import Browser, Page, expect
from visiting import PHONE, visit

import accuracy_assay as aa

WICKED = '</script><script>alert("x")</script><img src=x onerror=alert(1)>&amp;'
HEBREW = "שלום עולם"
LONG = "an answer of many words that goes on and on, without an end in sight, " * 2
CHOICES = [WICKED, HEBREW, LONG.strip(), "no" * 60, *(f"kind {k}" for k in range(36))]
TEXTS = [WICKED, HEBREW, "word " * 20_000, "x" * 5_000]
MODES = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": PHONE}
N_ROWS = 60


def pool() -> pl.DataFrame:
    rows = range(N_ROWS)
    return pl.DataFrame(
        {
            "id": [f"{WICKED[:20]} {i}" for i in rows],
            "sex": [("f", WICKED)[i % 2] for i in rows],
            "band": [("a", "b", "c")[i % 3] for i in rows],
            "light": [("day", "night")[i // 30] for i in rows],
            "text": [TEXTS[i % len(TEXTS)] for i in rows],
            "guess": [("kind 0", "kind 1")[i % 3 == 0] for i in rows],
        }
    )


def tell(server: PageServer, first: int, last: int, *people: str) -> None:
    with aa.Assay.open(server.store) as assay:
        for k, who in enumerate(people):
            ids = pool()["id"][first:last].to_list()
            assay.tell(ids, [f"kind {(i % 4 == 0) * k}" for i in range(first, last)], who)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    with serve_pool(
        tmp_path_factory.mktemp("team"),
        pool(),
        assay={"name": WICKED[:30]},
        attribute=[{"name": "sex"}, {"name": "band"}, {"name": "light"}],
        label={"choices": CHOICES, "show": {"text": "text"}, "annotators": 2},
    ) as running:
        tell(running, 0, 12, "<b>ann</b>", 'bob "&"')
        yield running


@pytest.fixture(scope="module")
def root(server: PageServer) -> httpx.Client:
    """An admin's program, to look at what the browser has done."""
    token = server.invite("root", "admin", is_link=False)
    with httpx.Client(
        base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE_S
    ) as client:
        yield client


def check_look(page: Page, *, is_phone: bool) -> None:
    """Assert that a page has no serious fault, fits, and has buttons for fingers on a phone."""
    faults = Axe().run(page).response["violations"]
    is_serious = [f for f in faults if f["impact"] in ("serious", "critical")]
    assert [(f["id"], [n["html"] for n in f["nodes"]]) for f in is_serious] == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    if is_phone:
        small = page.evaluate(
            """() => [...document.querySelectorAll("button, select, input:not([type=radio])")]
            .filter((b) => b.offsetParent && b.getBoundingClientRect().height < 44)
            .map((b) => b.outerHTML)"""
        )
        assert small == []


@pytest.mark.parametrize("mode", MODES)
def test_label_shows_what_is_wicked_long_and_foreign_as_text(
    server: PageServer, browser: Browser, mode: str
) -> None:
    name = f"<i>{mode}</i>" + "w" * 150
    with visit(browser, server.invite(name), **MODES[mode]) as visitor:
        page = visitor.page
        page.on("dialog", lambda dialog: visitor.troubles.append(f"dialog: {dialog.message}"))
        visitor.wait_for_item()
        expect(page.locator("#who")).to_have_text(name)
        expect(page.locator(".choice")).to_have_count(40)
        expect(page.locator(".choice").first).to_contain_text(WICKED)
        assert (
            page.locator(".choice span").nth(1).evaluate("(s) => getComputedStyle(s).direction")
            == "rtl"
        )
        check_look(page, is_phone=mode == "phone")
        seen = set()
        for _ in range(5):
            seen.add(page.locator("#show .shown-text").inner_text().strip())
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            visitor.answer("s")
        assert page.locator("img, script:not([src]):not([type])").count() == 0
        assert len(seen) > 1


@pytest.mark.parametrize("mode", MODES)
def test_team_shows_people_and_disputes(server: PageServer, browser: Browser, mode: str) -> None:
    with visit(browser, server.invite("lead", "admin"), **MODES[mode]) as visitor:
        page = visitor.page
        page.goto(f"{server.url}/team")
        row = page.locator("#members tr").filter(has_text="<b>ann</b>")
        expect(row).to_contain_text("12")
        expect(page.locator("#tiles")).to_contain_text("Krippendorff")
        expect(page.locator(".dispute")).to_have_count(3)
        expect(page.locator(".dispute").first).to_contain_text('bob "&": kind 1')
        check_look(page, is_phone=mode == "phone")


def test_a_link_lets_one_person_in_once_until_revoked(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("lead", "admin")) as lead:
        lead.page.goto(f"{server.url}/team")
        lead.page.get_by_label("Name").fill("new <u>one</u>")
        lead.page.get_by_role("button", name="Invite").click()
        link = lead.page.locator("#invited-link")
        expect(link).to_contain_text("/join?token=")
        lead.page.reload()  # a link that was not copied is not lost
        lead.page.get_by_role("button", name="Show the link of new <u>one</u> again").click()
        link = lead.page.locator("#links-list output")
        expect(link).to_contain_text("/join?token=")
        expect(lead.page.locator("#days-rows tr").first).to_contain_text("<b>ann</b>")
        with visit(browser, link.inner_text()) as new:
            new.wait_for_item()
            expect(new.page.get_by_role("link", name="Team")).to_have_count(0)
            for path in ("team", "surface"):
                new.forgive("403")
                new.page.goto(f"{server.url}/{path}")
                expect(new.page.get_by_role("heading")).to_have_text("This page is for admins")
            new.page.get_by_role("link", name="label").click()
            new.wait_for_item()
            with visit(browser, link.inner_text()) as thief:
                thief.forgive("401")
                expect(thief.page.get_by_role("heading")).to_have_text("You need a link")
                check_look(thief.page, is_phone=False)
            row = lead.page.locator("#members tr").filter(has_text="new <u>one</u>")
            lead.page.on("dialog", lambda dialog: dialog.accept())
            row.get_by_role("button", name="Revoke").click()
            expect(row.get_by_role("button", name="Revoke")).to_have_count(0)
            new.forgive("401")
            new.page.keyboard.press("5")
            expect(new.page.get_by_role("alert")).to_contain_text("Your session has ended")
            expect(new.page.locator("#saved")).to_have_text("1 not saved")
        assert server.answers("new <u>one</u>") == {}


@pytest.mark.parametrize("mode", MODES)
def test_a_link_says_whom_it_is_for_and_a_button_signs_them_in(
    server: PageServer, browser: Browser, mode: str
) -> None:
    name = f"{mode} {WICKED[:60]}"
    link = server.invite(name, "admin")
    for _ in range(3):  # a chat shows a preview to everyone in it
        assert httpx.get(link, timeout=PATIENCE_S).status_code == 200
        assert httpx.head(link, timeout=PATIENCE_S).status_code == 200
    with visit(browser, link, signs_in=False, **MODES[mode]) as visitor:
        page = visitor.page
        page.on("dialog", lambda dialog: visitor.troubles.append(f"dialog: {dialog.message}"))
        expect(page.get_by_role("heading")).to_have_text("You are invited")
        expect(page.locator("main")).to_contain_text(name)
        check_look(page, is_phone=mode == "phone")
        visitor.sign_in()
        expect(page.locator("#who")).to_have_text(name)


CHANGES = {
    "/api/ask": {"n": 1},
    "/api/tell": {"answers": [{"id": "x", "label": "kind 0"}]},
    "/api/skip": {"ids": ["x"]},
    "/api/give-back": {"ids": ["x"]},
    "/api/undo": {},
    "/api/team/invite": {"annotator": "friend"},
    "/api/team/revoke": {"annotator": "lead"},
    "/api/team/settle": {"id": "x", "label": "kind 0"},
}


def test_a_link_for_reading_shows_the_surface_and_changes_nothing(
    server: PageServer, browser: Browser, root: httpx.Client
) -> None:
    posts = {
        path
        for path, does in root.get("/api/openapi.json").json()["paths"].items()
        if "post" in does
    }
    with visit(browser, server.invite("rea", "reader")) as rea:
        page = rea.page
        expect(page.get_by_role("heading", level=1)).to_have_text("Accuracy surface")
        expect(page.locator(".bar nav a")).to_have_text(["Surface"])
        expect(page.locator("#next")).not_to_contain_text("Label more")
        before = events(server)
        for view in ("heat", "arms", "progress"):
            page.goto(f"{server.url}/surface?view={view}")
            expect(page.locator("#drawing > *").first).to_be_visible()
        rea.forgive("403")
        page.goto(f"{server.url}/team")
        expect(page.get_by_role("heading")).to_have_text("This page is for admins")
        page.goto(f"{server.url}/surface")
        assert posts <= set(CHANGES)
        for path, body in CHANGES.items():
            status = page.evaluate(
                "([path, body]) => Web.call(path, body).then(() => 200, (e) => e.status)",
                [path, body],
            )
            assert status == 403, path
    assert set(events(server)[len(before) :]) <= {"Fitted"}  # the server's own, as for everyone


def events(server: PageServer) -> list[str]:
    with aa.Assay.open(server.store) as assay:
        return [type(recorded.event).__name__ for recorded in assay.session.events()]


def test_a_link_that_is_too_old_lets_nobody_in(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("late", days=1e-9)) as late:
        late.forgive("401")
        expect(late.page.get_by_role("heading")).to_have_text("You need a link")
    with visit(browser, f"{server.url}/team") as nobody:
        nobody.forgive("401")
        expect(nobody.page.get_by_role("heading")).to_have_text("You need a link")


def test_a_session_that_is_over_ends_the_work_in_words(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("old")) as old:
        old.wait_for_item()
        with aa.Assay.open(server.store) as assay:
            short = assay.admission.sign_in(assay.admission.invite("old"), days=2.0 / 86_400)
        assert short is not None
        name = f"assay-session-{server.port}"
        old.context.add_cookies([{"name": name, "value": short, "url": server.url}])
        old.page.wait_for_timeout(2_100)
        old.forgive("401")
        old.page.keyboard.press("5")
        expect(old.page.get_by_role("alert")).to_contain_text("Your session has ended")
        assert server.answers("old") == {}
        old.page.on("dialog", lambda dialog: dialog.accept())  # an answer is not saved
        old.page.reload()
        expect(old.page.get_by_role("heading")).to_have_text("You need a link")


def test_who_gets_a_new_link_goes_on_where_they_were(
    server: PageServer, browser: Browser, root: httpx.Client
) -> None:
    with visit(browser, server.invite("eli")) as eli:
        item = eli.wait_for_item()
        root.post("/api/team/revoke", json={"annotator": "eli"})
        eli.forgive("401", "403")
        eli.page.keyboard.press("5")
        expect(eli.page.locator("#saved")).to_have_text("1 not saved")
        again = eli.context.new_page()
        again.goto(server.invite("eli"))
        again.get_by_role("button", name="Sign in").click()
        expect(again.locator("#answer")).to_be_visible()
        again.close()
        eli.page.evaluate("dispatchEvent(new Event('focus'))")
        eli.wait_until_saved()
        assert server.answers("eli") == {item: CHOICES[4]}


def test_new_labels_and_settled_disputes_show_by_themselves(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("lead", "admin")) as lead:
        page = lead.page
        page.goto(f"{server.url}/team")
        row = page.locator("#members tr").filter(has_text="<b>ann</b>")
        expect(row.locator("td").nth(1)).to_have_text("12")
        tell(server, 12, 14, "<b>ann</b>")
        expect(row.locator("td").nth(1)).to_have_text("14")
        disputes = page.locator(".dispute")
        n_disputes = disputes.count()
        disputes.first.get_by_role("button", name="kind 1", exact=False).first.click()
        expect(disputes).to_have_count(n_disputes - 1)


def test_the_heat_map_follows_a_filter(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("lead", "admin")) as lead:
        page = lead.page
        page.goto(f"{server.url}/surface?view=heat&rows=sex&columns=band")
        boxes = page.locator("#heat button")
        expect(boxes.first).to_be_visible()
        before = [box.get_attribute("aria-label") for box in boxes.all()]
        page.get_by_label("light", exact=True).select_option(label="light night")
        expect(boxes.first).not_to_have_attribute("aria-label", before[0] or "")
        assert "where=light" in page.url
        after = [box.get_attribute("aria-label") for box in boxes.all()]
        assert len(after) == len(before) == 6
        assert all(a != b for a, b in zip(after, before, strict=True))


def test_ties_come_first_and_say_to_whom_they_go(server: PageServer, browser: Browser) -> None:
    ids = pool()["id"].to_list()[20:50]
    with aa.Assay.open(server.store) as assay:
        for k, who in enumerate(("cem", "dee", "eve")):  # the third guesses
            said = [f"kind {i % 4 if k < 2 else (7 * i + i // 4) % 4}" for i in range(len(ids))]
            assay.tell(
                ids, ["kind 9" if (k, i) == (1, 29) else s for i, s in enumerate(said)], who
            )
    with visit(browser, server.invite("lead", "admin")) as lead:
        page = lead.page
        page.goto(f"{server.url}/team")
        row = page.locator("#members tr").filter(has_text="eve")
        expect(row).to_contain_text("answers at random, counts for nothing")
        expect(page.locator("#trust")).to_contain_text("not verified")
        first, last = page.locator(".dispute").first, page.locator(".dispute").last
        expect(first).to_contain_text("a tie: it goes to who is more reliable")
        expect(last).to_contain_text("the majority of those")
