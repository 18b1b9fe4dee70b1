"""Long pages are cut for the site without losing a line or a link."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cutting() -> Any:
    path = ROOT / "docs" / "extensions" / "cut_pages.py"
    spec = importlib.util.spec_from_file_location("cut_pages", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_line_is_on_one_page_and_every_page_has_its_own_address(cutting: Any) -> None:
    for name in cutting.CUT:
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        head, sections = cutting.pages_of(text)
        joined = head + "".join(
            f"## {title}\n{body}{''.join(part for _, part in found)}"
            for title, body, found in sections
        )
        assert joined == text
        addresses = [
            cutting.part_path(name, part)
            for title, _, found in sections
            for part in (title, *(piece for piece, _ in found))
        ]
        assert len(set(addresses)) == len(addresses) > 5, name


def test_a_heading_inside_a_block_of_code_cuts_nothing(cutting: Any) -> None:
    head, sections = cutting.cut("a\n```\n## no\n```\n## yes\nb\n")
    assert head.startswith("a")
    assert sections == [("yes", "b\n")]


def test_links_of_a_section_lead_where_they_led(cutting: Any) -> None:
    text = "[a](how-to/x.md) [b](#ask) [c](https://x.example/y) ![d](assets/e.png)"
    moved = cutting._moved(text, "cli.md", "cli/ask.md")
    assert moved == (
        "[a](../how-to/x.md) [b](../cli.md#ask) [c](https://x.example/y) ![d](../assets/e.png)"
    )
