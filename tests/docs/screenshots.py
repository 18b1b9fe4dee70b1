"""The pictures of the page in the documentation, taken anew: ``python tests/docs/screenshots.py``.

They show the assay that ``make demo`` leaves in ``out/demo``, in a browser as readers see it.
With a folder as its argument, every view is taken as well, light, dark and on a phone, to look at.
"""

from __future__ import annotations

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
VIEWS = {"label": "/", "surface": "/surface", "team": "/team"}
SIZES = {"desk": (1180, 860), "phone": (390, 844)}


@contextmanager
def serving(store: Path) -> Iterator[str]:
    """Serve a store for everyone on this machine and give its address."""
    command = [sys.executable, "-c", "from accuracy_assay.cli import main; main()", "serve"]
    process = subprocess.Popen(
        [*command, str(store), "--port", "0", "--no-token", "--annotator", "ann"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = (re.search(r"http://\S+", line) for line in process.stdout)
        yield next(found.group() for found in lines if found)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def take(browser: Browser, address: str, view: str, scheme: str, size: str, path: Path) -> None:
    """Take one view as a picture."""
    width, height = SIZES[size]
    page: Page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        has_touch=size == "phone",
    )
    page.goto(address + VIEWS[view])
    page.wait_for_timeout(2_500)
    page.screenshot(path=path, full_page=view != "label")
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
            for view in ("label", "surface"):
                take(browser, address, view, "light", "desk", SHOWN / f"{view}.png")
            for out in map(Path, sys.argv[1:]):
                out.mkdir(parents=True, exist_ok=True)
                for view in VIEWS:
                    for scheme in ("light", "dark"):
                        for size in SIZES:
                            path = out / f"{view}-{scheme}-{size}.png"
                            take(browser, address, view, scheme, size, path)
        browser.close()


if __name__ == "__main__":
    main()
