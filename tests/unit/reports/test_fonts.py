"""Every script is drawn by a font that has it, or named as not drawn."""

import pytest
from matplotlib.figure import Figure

from accuracy_assay.reports import fonts
from accuracy_assay.reports.fonts import choose_families, draw_every_script, written_out

ROMAN = {"Latin": frozenset(range(32, 1000))}


def test_a_family_is_added_for_what_those_before_it_lack() -> None:
    installed = {"Latin": [97], "Other": [97], "Han": [0x4E2D], "Last": [0x939]}.items()
    assert choose_families(["a中"], installed) == (["Latin", "Han"], ())
    assert choose_families(["a", "ह"], installed) == (["Latin", "Last"], ())
    assert choose_families(["a"], installed) == (["Latin"], ())


def test_runs_that_cannot_be_drawn_are_told_apart_by_their_code_points() -> None:
    missing = "中文国"
    shown = [written_out(text, missing) for text in ("a 中文", "a 中国", "中")]
    assert shown == ["a [U+4E2D U+6587]", "a [U+4E2D U+56FD]", "[U+4E2D]"]
    assert written_out("\x1b[0m", ()) == r"\x1b[0m"


def test_what_no_font_has_is_said_and_nothing_else_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        fonts, "_installed", lambda: (ROMAN | {"DejaVu Sans": frozenset()}).items()
    )
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.set_title("accent हिन्दी")
    axes.set_yticks([0, 1], ["中文", "plain"])
    missing = draw_every_script(figure)
    assert set(missing) == set("हिन्दी中文")
    assert [t.get_text() for t in axes.get_yticklabels()] == ["[U+4E2D U+6587]", "plain"]
    assert axes.get_title() == "accent [U+0939 U+093F…]"
    note = figure.get_supxlabel().replace("\n", " ")
    assert note.startswith("Not drawn, as no installed font has them: 8 characters (Devanagari")


def test_a_figure_whose_characters_are_all_there_has_no_note() -> None:
    figure = Figure(layout="constrained")
    figure.subplots().set_title("Größe, Ελλάδα, العربية")
    assert draw_every_script(figure) == ()
    assert figure.get_supxlabel() == ""
    figure.draw_without_rendering()
