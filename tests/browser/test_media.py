"""Images and recordings on the page, guesses to confirm, texts to write, and the end."""

import base64
import io
import wave
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, expect
from visiting import visit

import accuracy_assay as aa
from accuracy_assay.demo.thumbnails import encode_png

N_ROWS = 12
BUDGET = 4
LOADED = """performance.getEntriesByType("resource").filter((e) => e.name.includes("/media/"))
.length >= 12"""


def tone(seconds: float = 0.6, rate: int = 8_000) -> bytes:
    """Return a recording of one tone."""
    samples = 8_000 * np.sin(2 * np.pi * 440 * np.arange(int(seconds * rate)) / rate)
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())
    return held.getvalue()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Six columns of media: in files, as bytes and as addresses that hold them."""
    folder = tmp_path_factory.mktemp("media")
    (folder / "kept").mkdir()
    image = encode_png(np.eye(8, dtype=np.uint8) * 255)
    files = {"picture": ("image/png", image), "voice": ("audio/wav", tone())}
    columns: dict[str, list[str] | list[bytes]] = {}
    for name, (kind, content) in files.items():
        (folder / "kept" / f"{name} 1.x").write_bytes(content)
        address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
        columns[f"{name} file"] = [f"{name} 1.x"] * N_ROWS
        columns[f"{name} bytes"] = [content] * N_ROWS
        columns[f"{name} data"] = [address] * N_ROWS
    pool = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N_ROWS)],
            "sex": ["f", "m"] * (N_ROWS // 2),
            "p_age__old": [0.6, 0.99] * (N_ROWS // 2),
            "p_age__young": [0.4, 0.01] * (N_ROWS // 2),
            "guess": ["a cat"] * N_ROWS,
            **columns,
        }
    )
    show = {
        "image": [name for name in columns if "picture" in name],
        "audio": [name for name in columns if "voice" in name],
    }
    with serve_pool(
        folder,
        pool,
        assay={"budget": BUDGET, "calibration": "raw"},
        pool={"media": str(folder / "kept")},
        attribute=[{"name": "sex"}, {"name": "age", "evidence": "p_age__*"}],
        label={"choices": [], "show": show, "show_predictions": True},
    ) as running:
        yield running


def test_images_show_and_recordings_play_wherever_they_are_kept(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("ann")) as ann:
        ann.wait_for_item()
        images, voices = ann.page.locator("#show img"), ann.page.locator("#show audio")
        expect(images).to_have_count(3)
        expect(voices).to_have_count(3)
        for k in range(3):
            images.nth(k).evaluate("(image) => image.decode()")
            assert images.nth(k).evaluate("(image) => image.naturalWidth") == 8
            voices.nth(k).evaluate(
                "(voice) => { const moved = new Promise((done) => voice.ontimeupdate = () =>"
                " voice.currentTime > 0 && done()); return voice.play().then(() => moved); }"
            )
            assert voices.nth(k).evaluate("(voice) => voice.duration") == pytest.approx(0.6)
        assert ann.page.locator("#show .bad").count() == 0


def test_a_key_starts_and_stops_a_recording_that_is_already_loaded(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("ann")) as ann:
        first = ann.wait_for_item()
        ann.wait_for(LOADED)
        ann.forgive("ERR_FAILED")
        ann.page.route("**/media/**", lambda route: route.abort())  # nothing more can be loaded
        ann.page.get_by_role("button", name="Skip").click()
        ann.wait_for_item(other_than=first)
        ann.page.get_by_role("button", name="Undo").focus()  # letters are letters in a text
        assert ann.page.locator("#show img").first.evaluate("(i) => i.complete && i.naturalWidth")
        ann.page.keyboard.press("p")
        ann.wait_for("document.querySelector('#show audio').currentTime > 0.05")
        ann.page.keyboard.press("p")
        assert ann.page.locator("#show audio").first.evaluate("(voice) => voice.paused")


def test_texts_are_written_and_guesses_confirmed_only_where_it_helps(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.invite("ann")) as ann:
        has_question: dict[str, bool] = {}
        for _ in range(3):
            item = ann.wait_for_item()
            expect(ann.page.locator("#predictions")).to_have_text("reader says a cat")
            expect(ann.page.locator("#free-text")).to_be_focused()
            question = ann.page.get_by_role("group", name="Which age?")
            has_question[item] = question.count() > 0
            if has_question[item]:
                expect(question.get_by_label("not sure")).to_be_checked()
                question.get_by_label("young").check()
                ann.page.locator("#free-text").focus()
            ann.page.keyboard.type("a dog, s 1 u")  # no key of it means anything else
            ann.page.keyboard.press("Enter")
            expect(ann.page.locator("#item-title")).not_to_have_text(item)
        ann.wait_until_saved()
        assert server.answers("ann") == dict.fromkeys(has_question, "a dog, s 1 u")
        with aa.Assay.open(server.store) as assay, assay.session.journal.reading() as ledger:
            told = ledger.last_answers("ann", 9)
        for item, answer in told.items():
            is_unsure = int(item[1:]) % 2 == 0
            assert has_question[item] == is_unsure
            assert answer.attributes == ({"age": "young"} if is_unsure else {})


def test_the_end_of_the_budget_is_said(server: PageServer, browser: Browser) -> None:
    with visit(browser, server.invite("dan")) as dan:
        expect(dan.page.locator("#ended")).to_contain_text("left of the budget is held")
        expect(dan.page.locator("#item")).to_be_hidden()
        expect(dan.page.locator("#answer")).to_be_hidden()


def test_examples_of_a_slice_show_images_and_recordings(
    server: PageServer, browser: Browser
) -> None:
    told = server.answers("ann")
    if not told:  # this test runs alone
        with aa.Assay.open(server.store) as assay:
            assay.tell(["x0"], ["a dog"], "ann")
    sex = "fm"[int(next(iter(told), "x0")[1:]) % 2]
    with visit(browser, server.invite("root", "admin")) as root:
        root.page.goto(f"{server.url}/surface?view=slices&open=sex:{sex}")
        facts = root.page.locator(".facts-of")
        expect(facts).to_contain_text("a cat wrong")
        expect(facts).to_contain_text("a dog")
        images, voices = (root.page.locator(f".shown-of {kind}") for kind in ("img", "audio"))
        expect(images).to_have_count(3)
        expect(voices).to_have_count(3)
        images.first.evaluate("(image) => image.decode()")
        assert images.first.evaluate("(image) => image.naturalWidth") == 8
        voices.first.evaluate(
            "(voice) => new Promise((done) => voice.readyState ? done() :"
            " (voice.onloadedmetadata = done))"
        )
        assert voices.first.evaluate("(voice) => voice.duration") == pytest.approx(0.6)
