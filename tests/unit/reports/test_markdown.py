"""Markdown for pull requests says the headline and the weakest slices, and hides no markup."""

from dataclasses import replace

import pytest

from accuracy_assay.reports.markdown import markdown_table, surface_markdown, weak_places
from accuracy_assay.reports.report import Report


def test_the_headline_comes_first_and_weak_slices_follow(report: Report) -> None:
    lines = surface_markdown(report).splitlines()
    overall = report.overall
    assert lines[0] == f"### {report.title}: accuracy {overall.mean:.1%}"
    assert lines[2].startswith(f"**{overall.mean:.1%}** {overall.about} (90% interval")
    (row,) = [line for line in lines if line.startswith("| age =")]
    assert f"{report.slices.found[0].estimate.mean:.1%}" in row


def test_rows_without_an_answer_and_error_rates_are_said(report: Report) -> None:
    missing = {"rule": "drop", "rows": 3, "of": 9}
    surface = report.surface.with_details(missing_prediction=missing, is_error=True)
    shown = surface_markdown(replace(report, surface=surface))
    assert "3 of 9 labelled rows have no answer and are left out" in shown
    assert "This is an error rate: lower is better." in shown


def test_places_beyond_the_count_are_counted(report: Report) -> None:
    (found,) = report.slices
    twins = replace(report)
    vars(twins)["slices"] = replace(report.slices, found=(found,) * 7)
    lines = weak_places(twins, 5)
    assert sum(line.startswith("| age") for line in lines) == 5
    assert lines[-1] == "2 more."


def test_a_surface_without_weak_slices_says_so(flat: Report) -> None:
    assert "No slice is clearly weaker than the whole" in weak_places(flat)[0]


def test_names_are_never_markup(report: Report) -> None:
    assert "\\|" in surface_markdown(replace(report, title="a|b"))


@pytest.mark.parametrize("rows", [[], [("a", "1")]])
def test_a_table_has_a_head_and_its_rows(rows: list[tuple[str, str]]) -> None:
    lines = markdown_table(("name", "n"), rows)
    assert lines[:2] == ["| name | n |", "|---|---:|"]
    assert len(lines) == 2 + len(rows)
