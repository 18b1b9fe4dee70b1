"""Each figure is a file of its own, twice, and nothing lies over anything else."""

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.reports.figures import draw_figures, write_figures
from accuracy_assay.reports.fonts import draw_every_script
from accuracy_assay.reports.report import Report


def test_every_figure_is_written_as_png_and_pdf(bare: Report, tmp_path: Path) -> None:
    space = AttributeSpace((Attribute("<sex>", tuple("abcdef")),))
    single = replace(bare, surface=replace(bare.surface, space=space))
    written = write_figures(single, tmp_path / "figures")
    assert [path.name for path in written] == [
        *("slices.png", "slices.pdf", "attribute-sex.png", "attribute-sex.pdf")
    ]
    assert written[0].read_bytes().startswith(b"\x89PNG")
    assert written[1].read_bytes().startswith(b"%PDF")


def test_what_is_known_beside_the_surface_has_figures_too(report: Report, bare: Report) -> None:
    own = ["surface", "slices", "attribute-sex", "attribute-age"]
    assert list(draw_figures(bare)) == own
    assert list(draw_figures(report)) == [*own, "truth", "curves"]


def test_no_two_attributes_share_a_file(bare: Report) -> None:
    space = AttributeSpace((Attribute("age!", ("x", "y")), Attribute("age?", tuple("abc"))))
    same = replace(bare, surface=replace(bare.surface, space=space))
    assert list(draw_figures(same))[2:] == ["attribute-age", "attribute-age-2"]


@pytest.mark.parametrize("name", ["slices", "attribute-age", "truth", "curves"])
def test_legends_titles_and_axes_lie_apart_and_inside(report: Report, name: str) -> None:
    figure: Figure = draw_figures(replace(report, title="A reader 中文"))[name]()
    draw_every_script(figure)
    figure.draw_without_rendering()
    (legend,), (axes,) = figure.legends, figure.axes
    parts = [legend.get_window_extent(), axes.get_tightbbox()]
    parts += [text.get_window_extent() for text in _around(figure)]
    for i, part in enumerate(parts):
        assert part.x0 >= -1.0
        assert part.x1 <= figure.bbox.x1 + 1.0
        assert not any(part.padded(-1.0).overlaps(other) for other in parts[i + 1 :])


def _around(figure: Figure) -> list:
    found = (figure._suptitle, figure._supxlabel)  # type: ignore[attr-defined]
    return [text for text in found if text is not None and text.get_text()]
