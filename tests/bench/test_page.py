"""The page of results holds what was measured, and where."""

import re
from pathlib import Path

import pytest

from assay_bench.page import Section, Table, save_section, write_page

DOCS = Path(__file__).parents[2] / "docs"


def written(folder: Path, *sections: Section, template: str = "results") -> str:
    page, out = folder / "docs" / "page.md", folder / "out"
    page.parent.mkdir()
    out.mkdir(exist_ok=True)
    for section in sections:
        save_section(section, section.kind, out)
    write_page(page, out, [s.kind for s in sections], {"system": "Linux"}, template)
    return page.read_text(encoding="utf-8")


def test_a_table_is_markdown_whatever_is_in_its_cells(tmp_path: Path) -> None:
    table = Table("T", ("arm", "n"), [("a|b", "1"), ("c&d", "2")])
    text = written(tmp_path, Section("X", "x", {}, [table]))
    assert "**T**\n\n| arm | n |\n| --- | ---: |\n| a\\|b | 1 |\n| c&d | 2 |\n" in text


def test_a_folded_table_is_html_that_opens_on_a_click(tmp_path: Path) -> None:
    table = Table("T < U", ("arm", "n"), [("a&b", "1")], is_folded=True)
    text = written(tmp_path, Section("X", "x", {}, [table]))
    assert "\n\n<details><summary>T &lt; U</summary>\n<table>\n<tr><th>arm</th>" in text
    assert "\n<tr><td>a&amp;b</td><td>1</td></tr>\n</table>\n</details>\n" in text


def test_words_come_before_figures_and_figures_before_tables(tmp_path: Path) -> None:
    figure = tmp_path / "out" / "x.png"
    figure.parent.mkdir()
    figure.write_bytes(b"picture")
    section = Section("X", "nothing", {}, [Table("Numbers", ("a",), [])], [figure])
    text = written(tmp_path, section)
    order = ["## X", "Nothing of it is finished.", "![x](assets/results/x.png)", "**Numbers**"]
    assert sorted(order, key=text.index) == order
    assert (tmp_path / "docs/assets/results/x.png").read_bytes() == b"picture"


def test_each_section_says_what_made_it_and_the_page_on_which_machine(tmp_path: Path) -> None:
    section = Section("X", "x", command="assay bench x --seeds 2", origin="commit 0a, today")
    text = written(tmp_path, section, Section("Y", "y"))
    assert "| system | Linux |" in text
    assert text.endswith("## X\n\n`assay bench x --seeds 2`: commit 0a, today.\n\n## Y\n")


def test_a_page_has_what_a_folder_keeps_of_each_benchmark(tmp_path: Path) -> None:
    written(tmp_path, Section("X", "x"), Section("Y", "y"))
    save_section(Section("X again", "x"), "x", tmp_path / "out")
    page = tmp_path / "other.md"
    write_page(page, tmp_path / "out", ["y", "z", "x"], {})
    titles = [line for line in page.read_text("utf-8").splitlines() if line.startswith("## ")]
    assert titles == ["## Y", "## X again"]


@pytest.mark.parametrize("template", ["results", "coverage"])
def test_paragraphs_are_parted_by_one_empty_line(tmp_path: Path, template: str) -> None:
    table = Table("T", ("a",), [("1",)])
    text = written(tmp_path, Section("X", "x", {}, [table, table]), template=template)
    assert "\n\n\n" not in text
    assert text.count("\n\n**T**\n\n| a |\n| --- |\n| 1 |") == 2


def test_coverage_has_an_introduction_of_its_own(tmp_path: Path) -> None:
    text = written(tmp_path, template="coverage")
    assert text.startswith("# How intervals were checked\n\nMade by the command under")
    assert "Dirichlet" in text
    assert "infrequent" not in text


@pytest.mark.parametrize("kind", ["scale", "deep-kernel", "exploration"])
def test_a_section_leads_to_the_page_that_has_the_cause(tmp_path: Path, kind: str) -> None:
    found = {"labels": 1, "tasks": [], "falls": {}, "supervision": [], "below": {}, "best": {}}
    text = written(tmp_path, Section("X", kind, found | {"claims": []}))
    page, anchor = re.findall(r"by experiment: \[[^]]+\]\(([^#]+)#([^)]+)\)", text)[0]
    titles = re.findall(r"^## (.+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert anchor in [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]
