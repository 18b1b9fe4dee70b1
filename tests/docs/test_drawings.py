"""Pictures of the documentation are what their command draws."""

import re
import runpy
from fnmatch import fnmatch
from pathlib import Path
from xml.etree import ElementTree

DRAWINGS = Path(__file__).with_name("drawings.py")
ROOT = DRAWINGS.parents[2]
ASSETS = ROOT / "docs" / "assets"


def test_the_picture_of_the_data_flow_is_what_the_command_draws() -> None:
    found = runpy.run_path(str(DRAWINGS))
    drawn = found["data_flow"]()
    assert found["TARGET"].read_text(encoding="utf-8") == drawn
    texts = {node.text for node in ElementTree.fromstring(drawn).iter() if node.text}
    assert {title for *_, title, _ in found["BOXES"].values()} <= texts


def test_every_picture_that_a_page_shows_is_made_by_a_command_that_is_written_down() -> None:
    rows = [r for r in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if "docs/assets" in r]
    named = [name for row in rows for name in re.findall(r"`([^` ]+)`", row.split("|")[1])]
    listed = [name.removeprefix("docs/assets/") for name in named]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    shown = set(re.findall(r"!\[[^\]]+\]\((?:\.\./)*(?:docs/)?assets/([^)]+)\)", text))
    assert len(shown) > 10
    assert {name for name in shown if not any(fnmatch(name, one) for one in listed)} == set()
    files = {str(p.relative_to(ASSETS)) for p in ASSETS.rglob("*") if p.suffix in (".png", ".svg")}
    assert shown <= files
    for script in re.findall(
        r"`(?:\.venv/bin/python )?((?:tests|benchmarks)/\S+\.py)", "".join(rows)
    ):
        assert (ROOT / script).is_file()
