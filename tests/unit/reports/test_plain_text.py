"""What print shows: the verdict first, then the whole, then the slices of the terminal."""

from dataclasses import replace

from rich.text import Text

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.plain_text import plain_text, surface_text
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.verdict import verdict


def test_print_opens_with_the_verdict_and_lists_the_weak_slices(surface: AccuracySurface) -> None:
    first, second, *rest = str(surface).splitlines()
    assert first == verdict(Report("", surface))
    assert second == f"Overall: {surface.overall}."
    assert any(line.startswith("age = >60") for line in rest)


def test_without_weak_slices_two_lines_say_all(flat: Report) -> None:
    assert len(surface_text(flat.surface).splitlines()) == 2


def test_a_disagreement_with_the_check_without_a_model_is_told(surface: AccuracySurface) -> None:
    found = {"design_check": {"mean": 0.1, "lower": 0.05, "upper": 0.15}}
    assert "\nWarning: " in surface_text(replace(surface, details=found))


def test_text_has_no_colours_and_no_markup_and_no_blanks_at_line_ends() -> None:
    assert plain_text(Text("[b]x[/b]  ", "bold red")) == "[b]x[/b]"


def test_repr_stays_on_one_line_and_needs_no_search(surface: AccuracySurface) -> None:
    assert repr(surface).startswith("<AccuracySurface of sex x age")
    assert "\n" not in repr(surface)
    assert "_usual_slices" not in vars(surface)
