"""The pictures of the page in the documentation, taken anew: ``python tests/docs/screenshots.py``.

They show the assay that ``make demo`` leaves in ``out/demo``, in a browser as readers see it.
With a folder as its argument, every view is taken as well, light, dark and on a phone, to look at.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
SHOWN = ROOT / "docs" / "assets" / "page"
VIEWS = {
    "label": "/",
    "surface": "/surface",
    "examples": "/surface?view=slices&open=rotation:50",
    "heat": "/surface?view=heat",
    "one": "/surface?view=marginals",
    "matters": "/surface?view=attributes",
    "arms": "/surface?view=arms",
    "instances": "/surface?view=instances",
    "progress": "/surface?view=progress",
    "team": "/team",
}
SHOWN_VIEWS = {"label": "label", "heat": "surface", "examples": "examples"}
"""Views in the documentation, and the names of their pictures."""
TOPS = {"heat": "section.view", "examples": ".slices tr.is-open"}
"""Where the pictures of the documentation begin, if not at the top of the page."""
SIZES = {"desk": (1180, 860), "tablet": (820, 1100), "phone": (390, 844)}


@contextmanager
def serving(store: Path) -> Iterator[str]:
    """Serve a store for everyone on this machine and give its address."""
    command = [sys.executable, "-c", "from accuracy_assay.cli import main; main()", "serve"]
    process = subprocess.Popen(
        [*command, str(store), "--port", "0", "--no-token", "--annotator", "ann"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ASSAY_STATE": str(store.parent / "state")},  # the copy has its own
    )
    assert process.stdout is not None
    try:
        lines = (re.search(r"http://\S+", line) for line in process.stdout)
        yield next(found.group() for found in lines if found)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def take(
    browser: Browser,
    address: str,
    view: str,
    scheme: str,
    size: str,
    path: Path,
    *,
    is_whole: bool = False,
) -> None:
    """Take one view as a picture: what a reader sees first, or the whole page."""
    width, height = SIZES[size]
    page: Page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        has_touch=size == "phone",
    )
    page.goto(address + VIEWS[view])
    if "surface" in VIEWS[view]:
        page.wait_for_selector("#drawing[aria-busy=false] > *", timeout=120_000)
    if view == "label":
        page.wait_for_selector("#answer", state="visible", timeout=120_000)
    page.wait_for_timeout(1_500)
    if view in TOPS and not is_whole:
        at_once = "(part) => part.scrollIntoView({ behavior: 'instant' })"
        page.locator(TOPS[view]).first.evaluate(at_once)
    page.screenshot(path=path, full_page=is_whole)
    page.close()


def main() -> None:
    """Take the pictures of the documentation, or every view into a folder."""
    demo = ROOT / "out" / "demo"
    if not (demo / "digits.assay").exists():
        raise SystemExit("out/demo must have the demonstration's assay. Run: make demo")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(shutil.copytree(demo, Path(name) / "demo"))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        with serving(folder / "digits.assay") as address:
            SHOWN.mkdir(parents=True, exist_ok=True)
            for view, name in SHOWN_VIEWS.items():
                take(browser, address, view, "light", "desk", SHOWN / f"{name}.png")
            for out in map(Path, sys.argv[1:]):
                out.mkdir(parents=True, exist_ok=True)
                for view in VIEWS:
                    for scheme in ("light", "dark"):
                        for size in SIZES:
                            path = out / f"{view}-{scheme}-{size}.png"
                            is_whole = view != "label"
                            take(browser, address, view, scheme, size, path, is_whole=is_whole)
        browser.close()


if __name__ == "__main__":
    main()
