"""The page of results holds what was measured, and where."""

from pathlib import Path

from assay_bench.results_page import Section, Table, write_page


def test_a_table_is_markdown_whatever_is_in_its_cells() -> None:
    text = Table("T", ("arm", "n"), [("a|b", "1")]).markdown()
    assert text == "**T**\n\n| arm | n |\n| --- | ---: |\n| a\\|b | 1 |"


def test_a_folded_table_is_html_that_opens_on_a_click() -> None:
    text = Table("T < U", ("arm", "n"), [("a&b", "1")], is_folded=True).markdown()
    assert text.startswith("<details><summary>T &lt; U</summary>")
    assert "<tr><td>a&amp;b</td><td>1</td></tr>" in text
    assert text.endswith("</details>")


def test_words_come_before_figures_and_figures_before_tables(tmp_path: Path) -> None:
    figure = tmp_path / "x.png"
    figure.write_bytes(b"picture")
    section = Section("X", "Words.", [Table("Numbers", ("a",), [])], [figure])
    write_page(tmp_path / "page.md", "", {}, [section])
    text = (tmp_path / "page.md").read_text()
    assert text.index("Words.") < text.index("![x]") < text.index("**Numbers**")


def test_figures_are_copied_beside_the_page(tmp_path: Path) -> None:
    figure = tmp_path / "out" / "x.png"
    figure.parent.mkdir()
    figure.write_bytes(b"picture")
    page = tmp_path / "docs" / "results.md"
    write_page(page, "assay bench x", {"date": "today"}, [Section("X", "Words.", (), [figure])])
    assert (page.parent / "assets/results/x.png").read_bytes() == b"picture"
    text = page.read_text()
    assert "![x](assets/results/x.png)" in text
    assert "| date | today |" in text
    assert "`assay bench x`" in text
