"""Visitors of the page: browser windows that note everything that goes wrong in them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from patience import PATIENCE_MS, PATIENCE_S
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

__all__ = ["PHONE", "Visitor", "visit"]

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@dataclass
class Visitor:
    """One browser context with its first page, and what went wrong in it."""

    context: BrowserContext
    page: Page
    host: str
    troubles: list[str] = field(default_factory=list)
    forgiven: list[str] = field(default_factory=list)

    @property
    def item(self) -> str:
        """The id of the item that is shown."""
        return self.page.locator("#item-title").inner_text()

    def sign_in(self) -> None:
        """Use the link that the page shows."""
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(lambda address: "/join" not in address)

    def wait_for_item(self, *, other_than: str = "") -> str:
        """Wait until an item can be answered, and return its id."""
        expect(self.page.locator("#answer")).to_be_visible()
        expect(self.page.locator("#item-title")).not_to_have_text(other_than)
        return self.item

    def wait_until_saved(self) -> None:
        """Wait until the server has all that was answered."""
        expect(self.page.locator("#saved")).to_have_text("saved")

    def answer(self, key: str) -> str:
        """Answer with a key; return the id of what was answered."""
        answered = self.wait_for_item()
        self.page.keyboard.press(key)
        expect(self.page.locator("#item-title")).not_to_have_text(answered)
        return answered

    def wait_for(self, script: str) -> None:
        """Wait until a script says true; the page's policy forbids Playwright's own way."""
        give_up = time.monotonic() + PATIENCE_S
        while not self.page.evaluate(script):
            assert time.monotonic() < give_up, f"never true: {script}"
            self.page.wait_for_timeout(20)

    def forgive(self, *parts: str) -> None:
        """Expect troubles whose texts hold one of these parts."""
        self.forgiven += parts

    def watch(self, page: Page) -> None:
        """Note what goes wrong in a page."""
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("request", self._see_request)
        page.on("requestfailed", self._see_failure)
        page.on(
            "response",
            lambda r: self.troubles.append(f"{r.status} {r.url}") if r.status >= 400 else None,
        )

    def check(self) -> None:
        """Assert that nothing went wrong but for what was expected."""
        left = [t for t in self.troubles if not any(part in t for part in self.forgiven)]
        assert left == []

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"console: {message.text}")

    def _see_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.netloc != self.host and address.scheme not in ("data", "blob", "about"):
            self.troubles.append(f"request to another host: {request.url}")

    def _see_failure(self, request: Request) -> None:
        is_left = "ERR_ABORTED" in (request.failure or "")
        if not (is_left and any(part in request.url for part in ("/api/", "/static/"))):
            self.troubles.append(f"failed: {request.url} {request.failure}")


@contextmanager
def visit(
    browser: Browser, link: str, *, signs_in: bool = True, **options: Any
) -> Iterator[Visitor]:
    """Open a link in a window of its own; nothing may have gone wrong in it at the end.

    With ``signs_in``, whoever is invited there signs in.
    """
    context = browser.new_context(reduced_motion="reduce", **options)
    context.set_default_timeout(PATIENCE_MS)
    try:
        visitor = Visitor(context, context.new_page(), urlsplit(link).netloc)
        visitor.watch(visitor.page)
        context.on("page", visitor.watch)
        visitor.page.goto(link)
        if signs_in and visitor.page.get_by_role("button", name="Sign in").count():
            visitor.sign_in()
        yield visitor
        visitor.check()
    finally:
        context.close()
