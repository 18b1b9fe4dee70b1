"""A server that is killed loses nothing, and pages that were open go on by themselves."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from page_server import PageServer, serve_pool
from playwright.sync_api import Browser, expect
from visiting import visit

POOL = pl.DataFrame(
    {
        "id": [f"x{i}" for i in range(40)],
        "sex": ["f", "m"] * 20,
        "band": ["a", "b", "c", "d"] * 10,
        "guess": ["cat"] * 40,
    }
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    with serve_pool(tmp_path, POOL) as running:
        yield running


def test_who_labels_goes_on_after_the_server_was_killed(
    server: PageServer, browser: Browser
) -> None:
    with visit(browser, server.link) as ann:
        told = [ann.answer("1") for _ in range(4)]
        ann.wait_until_saved()
        server.kill()
        ann.forgive("net::ERR_")  # it depends on the moment what the browser calls it
        told.append(ann.answer("2"))
        expect(ann.page.get_by_role("alert")).to_contain_text("does not answer")
        assert set(server.answers("admin")) == set(told[:4])
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
        assert server.answers("admin") == expected
