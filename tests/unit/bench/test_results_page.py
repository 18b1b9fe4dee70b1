"""The page of results holds what was measured, and where."""

from pathlib import Path

from accuracy_assay.bench.results_page import Section, Table, write_page


def test_a_table_is_markdown_whatever_is_in_its_cells() -> None:
    text = Table("T", ("arm", "n"), [("a|b", "1")]).markdown()
    assert text == "**T**\n\n| arm | n |\n| --- | ---: |\n| a\\|b | 1 |"


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
