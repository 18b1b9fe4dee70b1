"""The examples of the README and the documentation run, and print and draw what the pages show."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer

from accuracy_assay.cli.app import build_app


def _load() -> ModuleType:
    """Return the neighbour that runs the pages: this folder is no package."""
    path = Path(__file__).with_name("run_examples.py")
    spec = importlib.util.spec_from_file_location("run_examples", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["run_examples"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


examples = _load()
PAGES, ROOT = examples.PAGES, examples.ROOT
COMMANDS = typer.main.get_command(build_app()).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_print_and_draw_what_the_page_shows(page: str, tmp_path: Path) -> None:
    printed = examples.run_page(page, tmp_path)
    for block, output in zip(examples.read_blocks(page), printed, strict=True):
        assert examples.is_same(output, block.output), (
            f"{page}: this block prints something else than the page shows; run "
            f"python tests/docs/run_examples.py --write {page}\n\n{block.text}\n{output}"
        )
    for shown in examples.pictures(page):
        drawn = tmp_path / shown.name
        assert drawn.exists(), f"{page} shows {shown.name}, which none of its blocks draws"
        assert examples.is_same_picture(drawn, shown), f"{page}: {shown.name} looks different now"


@pytest.mark.parametrize(
    ("printed", "shown"),
    [("0.81 of 600", "0.71 of 600"), ("3 arms", "3 cells"), ("0.5 0.5", "0.5"), ("", "0.5")],
)
def test_another_word_or_number_is_another_output(printed: str, shown: str) -> None:
    assert not examples.is_same(printed, shown)


def test_rounding_and_the_width_of_columns_make_no_other_output() -> None:
    assert examples.is_same("│ 0.812 ┆ x   │\n", "│ 0.82  ┆ x │")


def test_dots_stand_for_whatever_is_left_out() -> None:
    assert examples.is_same("one\ntwo\nthree 0.1\n", "one\n...\nthree ...\n")
    assert not examples.is_same("one\ntwo\nthree\n", "one\n...\nfour\n")


def test_the_readme_opens_with_two_commands_and_five_lines_that_print_and_draw() -> None:
    install, five = examples.read_blocks("README.md")[:2]
    assert [line.split("#")[0].strip() for line in install.text.splitlines()] == [
        "pip install accuracy-assay",
        "assay demo --quick",
    ]
    assert len([line for line in five.text.splitlines() if line]) == 5
    assert five.output.startswith("Right for ")
    assert "docs/assets/surface.png" in install.before


def test_the_first_lines_of_the_landing_page_are_those_of_the_readme() -> None:
    readme, index = (
        next(block for block in examples.read_blocks(page) if block.language == "python")
        for page in ("README.md", "docs/index.md")
    )
    assert index.text == readme.text


def test_both_pages_send_people_to_the_same_tools() -> None:
    tables = [
        re.findall(r"^\| .*", (ROOT / page).read_text(), re.MULTILINE)
        for page in ("README.md", "docs/index.md")
    ]
    starts = [table.index("| you want | use |") for table in tables]
    readme, index = (
        [row.replace("](docs/", "](") for row in table[start : start + 9]]
        for table, start in zip(tables, starts, strict=True)
    )
    assert readme == index


def test_the_page_for_assistants_names_ten_commands_that_exist() -> None:
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    table = text.partition("## Ten commands")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `assay ([a-z]+) ", table, re.MULTILINE)
    assert len(set(named)) == 10
    assert set(re.findall(r"`assay ([a-z]+)", text)) <= set(COMMANDS)


@pytest.mark.parametrize("page", [*PAGES, "docs/api.md", "docs/protocols.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"
