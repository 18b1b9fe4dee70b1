"""A real browser, Debian's Chromium, for all tests of a file; each visit has its own window."""

import shutil
from collections.abc import Iterator

import pytest
from patience import PATIENCE_MS
from playwright.sync_api import Browser, expect, sync_playwright

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running browser; `make packages` installs it, and without it these tests fail."""
    chromium = shutil.which("chromium")
    assert chromium is not None, "Chromium must be installed; run: make packages"
    flags = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium, args=flags, timeout=PATIENCE_MS
        )
        yield running
        running.close()
