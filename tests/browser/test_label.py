"""Labelling in a browser: by the keyboard alone, without waiting, never twice the same, and on
after the server was killed."""

from collections.abc import Iterator

import polars as pl
import pytest
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, Route, expect
from visiting import Visitor, visit

import accuracy_assay as aa

N_ROWS = 300
DOUBLE_CLICK = """(box) => {
  const { x, y, width, height } = box.getBoundingClientRect();
  for (const detail of [1, 2]) {
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    hit.dispatchEvent(new MouseEvent("click", { detail, bubbles: true }));
  }
}"""
"""Two clicks on one place of the page, so soon after one another as a busy machine cannot send."""


def pool() -> pl.DataFrame:
    rows = range(N_ROWS)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in rows],
            "sex": [("f", "m")[i % 2] for i in rows],
            "band": [("a", "b", "c")[i % 3] for i in rows],
            "text": [f"number {i}" for i in rows],
            "guess": [("cat", "dog")[i % 5 == 0] for i in rows],
        }
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    folder = tmp_path_factory.mktemp("label")
    with serve_pool(folder, pool(), label={"show": {"text": "text"}}) as running:
        yield running


def test_one_labels_with_the_keyboard_alone(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("ann")) as ann:
        told = {ann.answer(key): key for key in "12121"}
        skipped = ann.answer("s")
        ann.wait_until_saved()
        expect(ann.page.locator("#progress-text")).to_contain_text("5 answers are yours")
        found = server.answers("ann")
        assert found == {i: ("cat", "dog")[int(key) - 1] for i, key in told.items()}
        assert skipped not in found


def test_undo_gives_the_last_item_back(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("una")) as una:
        first = una.answer("1")
        last = una.answer("2")
        una.wait_until_saved()
        una.page.keyboard.press("u")
        expect(una.page.locator("#item-title")).to_have_text(last)
        expect(una.page.locator("#saved")).to_have_text("taken back")
        assert server.answers("una") == {first: "cat"}
        assert una.answer("1") == last
        una.wait_until_saved()
        assert server.answers("una") == {first: "cat", last: "cat"}


def test_one_may_go_back_and_change_an_answer(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("bea")) as bea:
        first, second = bea.answer("1"), bea.answer("1")
        now = bea.wait_for_item()
        bea.page.keyboard.press("b")
        bea.page.keyboard.press("b")
        expect(bea.page.locator("#item-title")).to_contain_text(first)
        expect(bea.page.locator(".choice[aria-pressed=true]")).to_contain_text("cat")
        bea.page.keyboard.press("2")
        expect(bea.page.locator("#item-title")).to_contain_text(second)
        bea.page.keyboard.press("Enter")
        expect(bea.page.locator("#item-title")).to_have_text(now)
        bea.wait_until_saved()
        assert server.answers("bea") == {first: "dog", second: "cat"}


def test_two_at_once_never_see_the_same_item(server: PageServer, browser: Browser) -> None:
    with (
        visit(browser, server.invite("carl")) as carl,
        visit(browser, server.invite("dora")) as dora,
    ):
        seen: dict[str, list[str]] = {"carl": [], "dora": []}
        for _ in range(15):
            seen["carl"].append(carl.answer("1"))
            seen["dora"].append(dora.answer("2"))
        carl.wait_until_saved()
        dora.wait_until_saved()
        assert not {*seen["carl"], carl.item} & {*seen["dora"], dora.item}
        assert set(server.answers("carl")) == set(seen["carl"])
        assert set(server.answers("dora")) == set(seen["dora"])
        assert len(set(seen["carl"])) == len(set(seen["dora"])) == 15


def test_the_next_item_is_there_before_the_answer_is_sent(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("eve")) as eve:
        eve.answer("1")
        eve.wait_until_saved()
        held = eve.wait_for_item()
        late: list[Route] = []
        eve.page.route("**/api/tell", lambda route: late.append(route))  # it takes its time
        with eve.page.expect_request("**/api/tell"):
            eve.page.keyboard.press("1")
        eve.wait_for_item(other_than=held)
        expect(eve.page.locator("#saved")).to_have_text("saving …")
        late[0].continue_()
        eve.wait_until_saved()


def test_a_double_click_answers_one_item(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("flo")) as flo:
        first = flo.wait_for_item()
        flo.page.locator(".choice").first.evaluate(DOUBLE_CLICK)
        second = flo.wait_for_item(other_than=first)
        flo.wait_until_saved()
        assert (flo.item, server.answers("flo")) == (second, {first: "cat"})


def test_who_is_cut_off_loses_no_answer(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("gus")) as gus:
        gus.forgive("ERR_INTERNET_DISCONNECTED")
        told = [gus.answer("1")]
        gus.wait_until_saved()
        gus.context.set_offline(True)
        told += [gus.answer("2"), gus.answer("2")]
        expect(gus.page.locator("#saved")).to_have_text("2 not saved yet")
        expect(gus.page.get_by_role("alert")).to_contain_text("does not answer")
        assert set(server.answers("gus")) == {told[0]}
        gus.context.set_offline(False)
        gus.wait_until_saved()
        expect(gus.page.locator("#trouble")).to_be_hidden()
        assert server.answers("gus") == dict(zip(told, ("cat", "dog", "dog"), strict=True))


def test_two_tabs_of_one_annotator_do_not_contradict_each_other_unseen(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("hal")) as hal:
        item = hal.wait_for_item()
        other = Visitor(hal.context, hal.context.new_page(), hal.host, hal.troubles, hal.forgiven)
        other.page.goto(server.url)
        assert other.wait_for_item() == item
        hal.answer("1")
        hal.wait_until_saved()
        hal.forgive("409")
        other.answer("2")
        expect(other.page.get_by_role("alert")).to_contain_text(item)
        other.page.wait_for_timeout(300)  # it must stay: more items came in meanwhile
        expect(other.page.get_by_role("alert")).to_contain_text(item)
        expect(other.page.locator("#saved")).not_to_have_text("saved")
        assert server.answers("hal") == {item: "cat"}


def test_the_rest_can_be_given_back(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("ida")) as ida:
        ida.answer("1")
        ida.wait_until_saved()
        ida.page.get_by_role("button", name="Stop").click()
        expect(ida.page.locator("#ended")).to_contain_text("You gave the rest back")
        ida.wait_until_saved()
        pending = ida.page.evaluate("fetch('/api/pending').then((r) => r.json())")
        assert pending["items"] == []
        expect(ida.page.locator("#ended h2")).to_have_text("You have stopped")
        status = ida.page.evaluate("fetch('/api/status').then((r) => r.json())")
        assert status["spent"] < status["budget"]  # "Nothing more to label" would be wrong
        ida.page.get_by_role("button", name="Go on labelling").click()
        ida.wait_for_item()


def test_predictions_stay_hidden(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("jo")) as jo:
        item = jo.wait_for_item()
        with jo.page.expect_response("**/api/pending") as pending:
            jo.page.reload()
        held = {one["id"]: one["predictions"] for one in pending.value.json()["items"]}
        assert jo.wait_for_item() in held
        assert held[item] == {}
        assert "reader" not in jo.page.content()


def test_an_item_that_someone_else_answered_meanwhile_gets_a_second_opinion(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("kim")) as kim:
        item = kim.wait_for_item()
        with aa.Assay.open(server.store) as assay:
            assay.tell([item], ["dog"], "leo")
        kim.answer("1")
        kim.wait_until_saved()
        assert (server.answers("kim"), server.answers("leo")) == ({item: "cat"}, {item: "dog"})


def test_who_labels_goes_on_after_the_server_was_killed(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("max")) as ann:
        told = [ann.answer("1") for _ in range(4)]
        ann.wait_until_saved()
        server.kill()
        ann.forgive("net::ERR_")  # it depends on the moment what the browser calls it
        told.append(ann.answer("2"))
        expect(ann.page.get_by_role("alert")).to_contain_text("does not answer")
        assert set(server.answers("max")) == set(told[:4])
        server.start()
        ann.wait_until_saved()
        told.append(ann.answer("2"))
        ann.wait_until_saved()
        held = ann.wait_for_item()
        with ann.page.expect_response("**/api/pending") as pending:
            ann.page.reload()
        # What the server gave just before it was killed was never shown, and comes first now.
        assert held in [item["id"] for item in pending.value.json()["items"]]
        assert ann.wait_for_item() not in told
        expected = dict(zip(told, ["cat"] * 4 + ["dog"] * 2, strict=True))
        assert server.answers("max") == expected
